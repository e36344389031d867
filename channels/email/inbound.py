"""From the bytes of a mail to what somebody said, or why it starts nothing. Pure.

`look` reads the mail; whoever keeps conversations finds the one it belongs to; `judge` says what it means there.
"""

import hashlib
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from channels.email import automatic, threads
from channels.email.addresses import Mailbox, domain, mailboxes, shown, tag
from channels.email.authres import is_verified
from channels.email.body import Body, body_of
from channels.email.bounces import Report, report_of
from channels.email.conversations import Conversation, Letter, begun, belongs, continued, is_other_topic
from channels.email.mime import Mail, read
from channels.email.threads import mark
from channels.email.trimming import Trimmed, trimmed
from channels.email.where import CHANNEL, Manner, Spot, chat_of
from core.domain.chat import ChatKey, Principal
from core.domain.message import Dropped, Inbound

LARGEST = 40_000_000
LONGEST_ANSWER = 100
OUR_ID = re.compile(r"<(?P<key>[A-Za-z0-9._-]{1,40})\.(?P<mark>[0-9a-f]{20})(?P<asks>\.q)?@[^<>\s]+>")
_RECIPIENTS = ("to", "cc", "delivered-to", "x-original-to", "x-forwarded-to", "envelope-to")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A mail that was read. `marks` name conversations that it claims to go on with, `ancestors` mails it answers."""

    mail: Mail
    raw: bytes
    spot: Spot
    senders: tuple[Mailbox, ...]
    message_id: str | None
    ancestors: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def author(self) -> Mailbox:
        """Who wrote it, if it says so exactly once."""
        return self.senders[0] if len(self.senders) == 1 else Mailbox(address="")

    @property
    def key(self) -> str:
        """The same for every copy of the mail, in any folder and under any UID."""
        if self.message_id is None:
            return f"raw.{hashlib.sha256(self.raw).hexdigest()[:32]}"
        told = (self.message_id, self.author.address, self.mail.headers.first("date"))
        return f"mail.{hashlib.sha256(chr(0).join(told).encode('utf-8', 'replace')).hexdigest()[:32]}"

    @property
    def subject(self) -> str:
        """As people read it."""
        return self.mail.headers.text("subject")[:500]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """`conversation` is how it stands after this mail, `body` what was in it; None for a mail that starts nothing."""

    event: Inbound | Dropped
    conversation: Conversation | None = None
    body: Body | None = None
    quoted: str = ""
    first: bool = False
    report: Report | None = None


def look(raw: bytes, spot: Spot, manner: Manner) -> Reading:
    """Never raises. What is longer than `LARGEST` is read up to there."""
    mail = read(raw[:LARGEST])
    headers = mail.headers
    froms = headers.all("from")
    senders = mailboxes(froms) if len(froms) == 1 else [*mailboxes(froms), Mailbox(address="")]
    ancestors = threads.ancestors(headers)
    found = [told["mark"] for told in map(OUR_ID.fullmatch, ancestors) if told]
    tags = [
        tag(one.address)
        for one in mailboxes(value for name in _RECIPIENTS for value in headers.all(name))
        if manner.is_ours(one.address)
    ]
    return Reading(
        mail=mail,
        raw=raw,
        spot=spot,
        senders=tuple(senders),
        message_id=threads.own_id(headers),
        ancestors=tuple(ancestors),
        marks=tuple(dict.fromkeys([*(one for one in tags if one), *found])),
    )


def judge(reading: Reading, known: Conversation | None, manner: Manner) -> Judged:
    """What the mail is in the conversation that was found for it, if any."""
    reason = _noise(reading, manner)
    if reason is not None:
        report = report_of(reading.mail) if reason == "bounce" else None
        return Judged(event=_dropped(reading, reason, manner, known), report=report)
    letter = _letter(reading, manner)
    if known is not None and (
        not belongs(known, letter.author) or (manner.split_topics and is_other_topic(known, letter.subject))
    ):
        known = None
        root = letter.message_id
    else:
        root = known.root if known else threads.oldest(reading.mail.headers) or letter.message_id
    conversation = continued(known, letter) if known else begun(root, letter)
    body = body_of(reading.mail)
    said = trimmed(body.text)
    content = _content(said, body, reading, manner)
    if not content and not body.files:
        return Judged(event=_dropped(reading, "empty", manner, known))
    event = Inbound(
        event_key=reading.key,
        chat=chat_of(conversation.root, manner),
        sender=_principal(reading, manner),
        content=content,
        at=_at(reading),
        reply_to=reading.ancestors[0] if reading.ancestors else None,
        message_id=letter.message_id,
        shared=len(conversation.others) > 0,
    )
    return Judged(event=event, conversation=conversation, body=body, quoted=said.quoted, first=known is None)


def _noise(reading: Reading, manner: Manner) -> str | None:
    """Why a mail starts nothing, whatever stands in it."""
    if any(manner.is_ours(one.address) for one in reading.senders) or _is_our_id(reading, manner):
        return "own"
    if not reading.mail.headers.fields:
        return "unreadable"
    found = automatic.reason(reading.mail)
    if found is not None:
        return found
    if len(reading.senders) != 1:
        return "several_authors" if len(reading.senders) > 1 else "no_author"
    return None


def _is_our_id(reading: Reading, manner: Manner) -> bool:
    found = reading.message_id or ""
    return OUR_ID.fullmatch(found) is not None and domain(found.strip("<>")) == manner.domain


def _letter(reading: Reading, manner: Manner) -> Letter:
    headers = reading.mail.headers
    others = [one.address for one in mailboxes([*headers.all("to"), *headers.all("cc")])]
    return Letter(
        message_id=reading.message_id or f"<{mark(reading.spot.name)}@{manner.domain}>",
        subject=reading.subject,
        author=reading.author.address,
        others=tuple(one for one in others if not manner.is_ours(one)),
    )


def _principal(reading: Reading, manner: Manner) -> Principal:
    author = reading.author
    verified = bool(manner.authserv_id) and is_verified(reading.mail.headers, manner.authserv_id or "", author.address)
    return Principal(
        channel=CHANNEL,
        account=manner.account,
        user_id=author.address,
        name=shown(author.name) or author.address,
        verified=verified or manner.trust_all,
        roles=(f"@{domain(author.address)}",),
    )


def _content(said: Trimmed, body: Body, reading: Reading, manner: Manner) -> str:
    """The author's words; a command or the answer to a question alone, when that is the first line."""
    visible = said.visible.strip()
    first = visible.split("\n", 1)[0].strip()
    if _is_command(first, manner):
        return first
    told = OUR_ID.fullmatch(reading.ancestors[0]) if reading.ancestors else None
    if told and told["asks"] and first and len(first) <= LONGEST_ANSWER and _is_closing(visible[len(first) :]):
        visible = first
    pieces = [visible, body.events, *body.notes]
    return "\n\n".join(piece for piece in pieces if piece) or reading.subject


def _is_command(line: str, manner: Manner) -> bool:
    word = line.split(" ", 1)[0]
    return line[:1] in ("/", "!") and word[1:].lower() in manner.commands


def _is_closing(below: str) -> bool:
    """Whether only a greeting and a name follow."""
    lines = [line.strip() for line in below.splitlines() if line.strip()]
    return len(lines) <= 4 and all(len(line) <= 40 and not line.endswith((".", "?", ":", ";")) for line in lines)


def _at(reading: Reading) -> int:
    """When the server got it, else when its author says that it was written; 0 when neither is known."""
    if reading.spot.at:
        return reading.spot.at
    try:
        return int(parsedate_to_datetime(reading.mail.headers.first("date")).timestamp() * 1000)
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0


def _dropped(reading: Reading, reason: str, manner: Manner, known: Conversation | None) -> Dropped:
    chat = ChatKey(channel=CHANNEL, account=manner.account, chat_id=known.root if known else "dropped")
    return Dropped(reason=reason, event_key=reading.key, chat=chat, at=_at(reading))
