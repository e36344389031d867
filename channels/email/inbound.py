"""From the bytes of a mail to what somebody said, or why it starts nothing. Pure.

`looking.look` reads it; whoever keeps conversations finds the one it belongs to; `judge` says what it means there.
"""

from dataclasses import dataclass

from channels.email import automatic, threads
from channels.email.body import Body, body_of
from channels.email.conversations import Conversation, Letter, begun, continued, is_other_topic
from channels.email.looking import Reading
from channels.email.people import letter_of, principal_of
from channels.email.saying import content
from channels.email.trimming import trimmed
from channels.email.where import Manner, chat_of
from core.domain.message import Dropped, Inbound


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """`conversation` is how it stands after this mail, `body` what was in it; None for a mail that starts nothing."""

    event: Inbound | Dropped
    conversation: Conversation | None = None
    body: Body | None = None
    quoted: str = ""
    first: bool = False


def judge(reading: Reading, known: Conversation | None, manner: Manner) -> Judged:
    """What the mail is in the conversation that was found for it, if any."""
    reason = _noise(reading, manner)
    if reason is not None:
        return Judged(event=_dropped(reading, reason, manner, known), conversation=known if reason == "own" else None)
    letter = letter_of(reading, manner)
    conversation, first = _placed(reading, letter, known, manner)
    body = body_of(reading.mail)
    said = trimmed(body.text, reading.author.name)
    words = content(said, body, reading, manner)
    if not words and not body.files:
        return Judged(event=_dropped(reading, "empty", manner, known))
    event = Inbound(
        event_key=reading.key,
        chat=chat_of(conversation.root, manner),
        sender=principal_of(reading, manner),
        content=words,
        at=reading.at,
        reply_to=reading.ancestors[0] if reading.ancestors else None,
        message_id=letter.message_id,
        shared=len(conversation.others) > 0,
    )
    return Judged(event=event, conversation=conversation, body=body, quoted=said.quoted, first=first)


def _placed(reading: Reading, letter: Letter, known: Conversation | None, manner: Manner) -> tuple[Conversation, bool]:
    """The conversation after this mail, and whether it begins with it."""
    if known is None:
        return begun(threads.oldest(reading.mail.headers) or letter.message_id, letter), True
    if manner.split_topics and is_other_topic(known, letter.subject):
        return begun(letter.message_id, letter), True
    return continued(known, letter), False


def _noise(reading: Reading, manner: Manner) -> str | None:
    """Why a mail starts nothing, whatever stands in it."""
    if any(manner.is_ours(one.address) for one in reading.senders) or reading.is_ours_by_id(manner):
        return "own"
    if not reading.mail.headers.fields:
        return "unreadable"
    found = automatic.reason(reading.mail)
    if found is not None:
        return found
    if len(reading.senders) != 1:
        return "several_authors" if len(reading.senders) > 1 else "no_author"
    return None


def _dropped(reading: Reading, reason: str, manner: Manner, known: Conversation | None) -> Dropped:
    chat = chat_of(known.root if known else "dropped", manner)
    return Dropped(reason=reason, event_key=reading.key, chat=chat, at=reading.at)
