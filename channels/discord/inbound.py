"""From a raw dispatch of the gateway to what it means. Pure: it reads what is known and changes nothing."""

import re
from collections.abc import Mapping

from channels.discord.fields import Json, inner, made_at, moment, number, objects, text
from channels.discord.interactions import read_interaction
from channels.discord.known import FORUMS, Known
from channels.discord.where import STARTER, Manner, chat_of, dropped, is_shared, rules_there, sender_of
from channels.discord.words import mentions_us, words_of
from core.domain.message import Attachment, Dropped, Inbound, InboundKind

DEFAULT, REPLY = 0, 19
SAID_BY_PEOPLE = frozenset({DEFAULT, REPLY, 20, 23})

Event = Inbound | Dropped


def read(event: str, told: Json, known: Known, manner: Manner) -> Event:
    """One dispatch that `concerns` us."""
    match event:
        case "MESSAGE_CREATE":
            return read_message(told, known, manner)
        case "MESSAGE_UPDATE":
            return _edit(told, known, manner)
        case "MESSAGE_DELETE":
            return _delete(told, known, manner)
        case "INTERACTION_CREATE":
            return read_interaction(told, known, manner)
    return dropped("noise", told, manner, key=f"{event}.{text(told, 'id') or 'none'}")


def read_message(told: Json, known: Known, manner: Manner) -> Event:
    """A message as it was said."""
    message_id, channel_id = text(told, "id"), text(told, "channel_id")
    author = inner(told, "author")
    user_id = text(author, "id")
    if message_id is None or channel_id is None or user_id is None:
        return dropped("unreadable", told, manner)
    reason = _noise(told, author, known, manner)
    if reason:
        return dropped(reason, told, manner)
    content, attachments = words_of(told, known), tuple(map(_attachment, objects(told, "attachments")))
    if not content and not attachments:
        return dropped(_emptiness(told, known), told, manner)
    addressed = addresses_us(told, known, manner)
    chat = chat_of(told, known, manner, opens=bool(addressed) and not content.startswith("/"))
    return Inbound(
        event_key=message_id,
        chat=chat,
        sender=sender_of(author, inner(told, "member"), manner.account),
        content=content,
        at=moment(text(told, "timestamp")) or made_at(message_id),
        attachments=attachments,
        reply_to=_reply_to(told),
        admin=rules_there(user_id, told, known),
        message_id=message_id,
        addressed=addressed,
        shared=is_shared(told, known),
        place=chat.chat_id if is_shared(told, known) else None,
    )


def _noise(told: Json, author: Json, known: Known, manner: Manner) -> str | None:
    """Why the message starts nothing."""
    kind, message_id = number(told, "type"), text(told, "id")
    # The same message once more, as the first one of the thread that was made from it.
    again = message_id == text(told, "channel_id") and known.author(message_id or "") is not None
    reasons = {
        "own": known.me is not None and text(author, "id") == known.me,
        "webhook": text(told, "webhook_id") is not None,
        "bot": author.get("bot") is True and not manner.bots,
        "thread_starter": kind == STARTER or again,
        "system": kind not in SAID_BY_PEOPLE,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _emptiness(told: Json, known: Known) -> str:
    """A message in a guild that says nothing at all to us: that is what a missing intent looks like."""
    hidden = is_shared(told, known) and not mentions_us(told, known)
    return "content_hidden" if hidden else "empty"


def addresses_us(told: Json, known: Known, manner: Manner) -> bool | None:
    """By DM, by mention, by a reply to us; a new post of a forum where the settings say so. None without knowing us."""
    if not is_shared(told, known):
        return True
    if manner.forum_posts and _is_post(told, known):
        return True
    if known.me is None:
        return None
    if number(told, "type") == REPLY and text(inner(told, "referenced_message", "author"), "id") == known.me:
        return True
    return mentions_us(told, known)


def _is_post(told: Json, known: Known) -> bool:
    """The first message of a forum post has the id of the post."""
    place = known.places.get(text(told, "channel_id") or "")
    if place is None or text(told, "id") != place.id:
        return False
    parent = known.places.get(place.parent or "")
    return parent is None or parent.type in FORUMS


def _reply_to(told: Json) -> str | None:
    reference = inner(told, "message_reference")
    return text(reference, "message_id") if number(reference, "type") == 0 else None


def _attachment(told: Json) -> Attachment:
    """Only named yet; the name is what its sender chose, so nobody may use it as a path."""
    name = re.split(r"[/\\]", text(told, "filename") or "")[-1].lstrip(".") or "file"
    return Attachment(
        name=name,
        media_type=(text(told, "content_type") or "application/octet-stream").split(";")[0].strip(),
        size=number(told, "size"),
        caption=text(told, "description") or "",
    )


def _edit(told: Json, known: Known, manner: Manner) -> Event:
    """Discord says the same of a link that unfolds, but only a person's edit has a time of its own."""
    edited, message_id = text(told, "edited_timestamp"), text(told, "id") or "none"
    key = f"{message_id}.edit.{edited}"
    if edited is None:
        return dropped("noise", told, manner, key=f"{message_id}.unfolded")
    said = read_message({"author": _author(message_id, known), **told}, known, manner)
    if isinstance(said, Dropped):
        return Dropped(reason=said.reason, event_key=key, chat=said.chat, at=said.at)
    before = known.author(message_id)
    return Inbound(
        event_key=key,
        chat=before.chat if before else said.chat,
        sender=said.sender,
        content=said.content,
        at=moment(edited),
        kind=InboundKind.EDIT,
        attachments=said.attachments,
        admin=said.admin,
        message_id=message_id,
        addressed=said.addressed,
        shared=said.shared,
        place=said.place,
    )


def _author(message_id: str, known: Known) -> Mapping[str, object]:
    before = known.author(message_id)
    return {"id": before.sender.user_id, "username": before.sender.name} if before else {}


def _delete(told: Json, known: Known, manner: Manner) -> Event:
    """Discord does not say who deleted it, so it counts as its author's own doing; of nobody's message it is noise."""
    message_id = text(told, "id")
    before = known.author(message_id) if message_id else None
    if message_id is None or before is None:
        return dropped("unknown_author", told, manner, key=f"{message_id}.delete")
    shared = is_shared(told, known)
    return Inbound(
        event_key=f"{message_id}.delete",
        chat=before.chat,
        sender=before.sender,
        content="",
        at=0,
        kind=InboundKind.DELETE,
        message_id=message_id,
        addressed=None,
        shared=shared,
        place=before.chat.chat_id if shared else None,
    )
