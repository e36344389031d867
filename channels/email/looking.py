"""A mail as it was read, before anybody asks which conversation it belongs to. Pure."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from channels.email import threads
from channels.email.addresses import Mailbox, domain, mailboxes, tag
from channels.email.headers import Headers
from channels.email.mime import Mail, read
from channels.email.where import Manner, Spot

LARGEST = 40_000_000
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

    @property
    def at(self) -> int:
        """When the server got it, else when its author says that it was written; 0 when neither is known."""
        if self.spot.at:
            return self.spot.at
        try:
            return int(parsedate_to_datetime(self.mail.headers.first("date")).timestamp() * 1000)
        except (ValueError, TypeError, OverflowError, IndexError):
            return 0

    def is_ours_by_id(self, manner: Manner) -> bool:
        """Whether its own id is one that only we give."""
        found = self.message_id or ""
        return OUR_ID.fullmatch(found) is not None and domain(found.strip("<>")) == manner.domain

    @property
    def answers_question(self) -> bool:
        """Whether it answers a mail of ours that asked something."""
        told = OUR_ID.fullmatch(self.ancestors[0]) if self.ancestors else None
        return told is not None and told["asks"] is not None


def _marks(headers: Headers, ancestors: Sequence[str], manner: Manner) -> tuple[str, ...]:
    """What our own addresses and our own Message-IDs say of the conversation."""
    values = [value for name in _RECIPIENTS for value in headers.all(name)]
    tags = [tag(one.address) for one in mailboxes(values) if manner.is_ours(one.address)]
    found = [told["mark"] for told in map(OUR_ID.fullmatch, ancestors) if told]
    return tuple(dict.fromkeys([*(one for one in tags if one), *found]))


def look(raw: bytes, spot: Spot, manner: Manner) -> Reading:
    """Never raises. What is longer than `LARGEST` is read up to there."""
    mail = read(raw[:LARGEST])
    headers = mail.headers
    froms = headers.all("from")
    senders = mailboxes(froms)
    if len(froms) > 1:
        # Whoever says twice who he is says it in neither: never one author.
        senders = [*senders, Mailbox(address="")] if senders else []
    ancestors = threads.ancestors(headers)
    return Reading(
        mail=mail,
        raw=raw,
        spot=spot,
        senders=tuple(senders),
        message_id=threads.own_id(headers),
        ancestors=tuple(ancestors),
        marks=_marks(headers, ancestors, manner),
    )
