"""From a raw update to what it means. Pure, and never an error: what cannot be read is Dropped with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from channels.telegram.files import Sent, files_of
from channels.telegram.people import CHANNEL, Me, person, speaker
from channels.telegram.raw import Raw, flag_at, id_at, number_at, object_at, text_at
from channels.telegram.wording import addressed, for_another_bot, is_forwarded_by_telegram, quoted, said, summary, words
from core.domain.chat import ChatKey, Principal, SenderKind
from core.domain.message import Dropped, Inbound, InboundKind

KINDS: Mapping[str, InboundKind] = {
    "message": InboundKind.MESSAGE,
    "channel_post": InboundKind.MESSAGE,
    "edited_message": InboundKind.EDIT,
    "edited_channel_post": InboundKind.EDIT,
}
LISTENED = (*KINDS, "callback_query", "my_chat_member")
PRIVATE = "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What an update does not tell itself. `moved` names the old id of a group by its new one; `admins` are the ids of
    those who rule the chat of the update; `bots` says that what other programs say is an event."""

    me: Me
    bots: bool = False
    moved: Mapping[str, str] = field(default_factory=dict)
    admins: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """An event, the files that it brings, and the album that it is a piece of ("" for none)."""

    event: Inbound | Dropped
    files: Sequence[Sent] = ()
    album: str = ""


def read(update: object, around: Surroundings) -> Read:
    """One update of any kind."""
    if not isinstance(update, Mapping) or number_at(update, "update_id") is None:
        return Read(event=_dropped("malformed", "malformed", NOWHERE, 0, around))
    if "callback_query" in update:
        return _pressed(update, object_at(update, "callback_query"), around)
    for name, kind in KINDS.items():
        if name in update:
            return _message(update, object_at(update, name), kind, around)
    return Read(event=_dropped("unsupported", id_at(update, "update_id"), NOWHERE, 0, around))


NOWHERE: Raw = {}


def migration(update: Raw) -> tuple[str, str] | None:
    """The old and the new id of a group that has become a supergroup: told once in the old chat, once in the new."""
    message = object_at(update, "message")
    chat = id_at(object_at(message, "chat"), "id")
    became, was = id_at(message, "migrate_to_chat_id"), id_at(message, "migrate_from_chat_id")
    if chat and became:
        return chat, became
    return (was, chat) if chat and was else None


def chat_of(message: Raw, around: Surroundings) -> ChatKey:
    """A number of a thread is a topic only where the message says so: in General it is the message replied to."""
    chat_id = id_at(object_at(message, "chat"), "id")
    topic = id_at(message, "message_thread_id") if flag_at(message, "is_topic_message") else ""
    return ChatKey(
        channel=CHANNEL, account=around.me.id, chat_id=around.moved.get(chat_id, chat_id), thread_id=topic or None
    )


def _message(update: Raw, message: Raw, kind: InboundKind, around: Surroundings) -> Read:
    chat_id, message_id = id_at(object_at(message, "chat"), "id"), id_at(message, "message_id")
    key = f"{id_at(update, 'update_id')}.{chat_id}.{message_id}"
    at = _at(message)
    sender = speaker(message, around.me) if chat_id and message_id else None
    if sender is None:
        return Read(event=_dropped("malformed", key, message, at, around))
    reason = _unwanted(message, sender, around)
    if reason:
        return Read(event=_dropped(reason, key, message, at, around))
    files = files_of(message)
    shared = text_at(object_at(message, "chat"), "type") != PRIVATE
    chat = chat_of(message, around)
    event = Inbound(
        event_key=key,
        chat=chat,
        sender=sender,
        content=_content(message, around),
        at=at,
        kind=kind,
        attachments=tuple(file.attachment for file in files),
        reply_to=_replied(message),
        admin=sender.user_id in around.admins,
        message_id=message_id,
        addressed=addressed(message, around.me) if shared else True,
        shared=shared,
        place=chat.chat_id if shared else None,
    )
    return Read(event=event, files=files, album=_album(message, kind))


def _at(message: Raw) -> int:
    """Of the change where it was changed, in milliseconds."""
    return 1000 * (number_at(message, "edit_date") or number_at(message, "date") or 0)


def _unwanted(message: Raw, sender: Principal, around: Surroundings) -> str:
    """Why a message starts nothing; "" where it may."""
    if around.me.id and id_at(object_at(message, "from"), "id") == around.me.id:
        return "own"
    if is_forwarded_by_telegram(message):
        return "automatic"
    if sender.kind is SenderKind.BOT and not around.bots:
        return "bot"
    empty = not (words(message) or summary(message) or files_of(message))
    return "noise" if empty or for_another_bot(message, around.me) else ""


def _content(message: Raw, around: Surroundings) -> str:
    content = said(message, around.me) if words(message) else summary(message)
    block = quoted(message, around.me)
    return f"{block}\n\n{content}" if block and content else content


def _replied(message: Raw) -> str | None:
    replied = object_at(message, "reply_to_message")
    if "forum_topic_created" in replied:
        return None
    return id_at(replied, "message_id") or None


def _album(message: Raw, kind: InboundKind) -> str:
    group = text_at(message, "media_group_id")
    return f"{id_at(object_at(message, 'chat'), 'id')}.{group}" if group and kind is InboundKind.MESSAGE else ""


def _pressed(update: Raw, query: Raw, around: Surroundings) -> Read:
    """A button: in the chat of its message, by whoever pressed it. Telegram does not say when."""
    message = object_at(query, "message")
    key = f"{id_at(update, 'update_id')}.{text_at(query, 'id')}"
    presser = person(object_at(query, "from"), around.me)
    chat = object_at(message, "chat")
    if presser is None or not text_at(query, "id"):
        return Read(event=_dropped("malformed", key, message, 0, around))
    if not id_at(chat, "id") or not text_at(query, "data"):
        return Read(event=_dropped("unsupported", key, message, 0, around))
    shared = text_at(chat, "type") != PRIVATE
    where = chat_of(message, around)
    event = Inbound(
        event_key=key,
        chat=where,
        sender=presser,
        content=text_at(query, "data"),
        at=0,
        kind=InboundKind.BUTTON,
        admin=presser.user_id in around.admins,
        message_id=id_at(message, "message_id") or None,
        shared=shared,
        place=where.chat_id if shared else None,
    )
    return Read(event=event)


def query_of(event_key: str) -> str:
    """The query of a press by its event's key; "" for any other event."""
    update, _, query = event_key.partition(".")
    return query if update.isdigit() and query.isdigit() else ""


def _dropped(reason: str, key: str, message: Raw, at: int, around: Surroundings) -> Dropped:
    return Dropped(reason=reason, event_key=key or reason, chat=chat_of(message, around), at=at)


def joined(pieces: Sequence[Read]) -> Read:
    """The messages of an album as one, in the order in which they stand in the chat.

    Each caption stays with its file; where there are several, each says which file it belongs to. The pieces' own keys
    are twins of the whole.
    """
    events = sorted(
        (piece.event for piece in pieces if isinstance(piece.event, Inbound)), key=lambda one: int(one.message_id or 0)
    )
    files = sorted((file for piece in pieces for file in piece.files), key=lambda one: int(one.message_id))
    event = replace(
        events[0],
        content=_captions([event.content for event in events]),
        attachments=tuple(file.attachment for file in files),
        addressed=_any_addressed(events),
        twins=tuple(event.event_key for event in events[1:]),
    )
    return Read(event=event, files=files)


def _captions(texts: Sequence[str]) -> str:
    spoken = [(number, text) for number, text in enumerate(texts, 1) if text.strip()]
    return spoken[0][1] if len(spoken) == 1 else "\n".join(f"({number}) {text}" for number, text in spoken)


def _any_addressed(events: Sequence[Inbound]) -> bool | None:
    told = [event.addressed for event in events]
    return True if True in told else (None if None in told else False)
