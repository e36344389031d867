"""Slash commands, buttons, menus and forms: what they mean, and which first answer they want. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from channels.discord.fields import Json, inner, number, objects, text, texts
from channels.discord.known import DM, Known
from channels.discord.where import Manner, chat_of, dropped, is_shared, sender_of
from core.domain.message import Dropped, Inbound, InboundKind

COMMAND, COMPONENT, FORM = 2, 3, 5
# A button that opens a form for an answer in words, and the form itself.
WRITE = "write"
# Options lie in groups of sub-commands, fields in rows: nothing real lies deeper.
DEEPEST = 4
RULES = (1 << 3) | (1 << 5)  # administrator, manage guild


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What is needed to answer one: by its token, for fifteen minutes, and within three seconds for the first time."""

    id: str
    token: str
    type: int
    application: str
    message_id: str | None = None
    opens_form: bool = False


def interaction_of(told: Json) -> Interaction | None:
    """None for what cannot be answered."""
    found, token = text(told, "id"), text(told, "token")
    if found is None or token is None:
        return None
    return Interaction(
        id=found,
        token=token,
        type=number(told, "type"),
        application=text(told, "application_id") or "",
        message_id=text(inner(told, "message"), "id"),
        opens_form=text(inner(told, "data"), "custom_id") == WRITE,
    )


def read_interaction(told: Json, known: Known, manner: Manner) -> Inbound | Dropped:
    """A command is said as its text, a button or menu as the token of the choice, a form as the words in it."""
    key, member = text(told, "id"), inner(told, "member")
    user = inner(member, "user") or inner(told, "user")
    if key is None or text(user, "id") is None:
        return dropped("unreadable", told, manner)
    place = inner(told, "channel")
    where = {**told, "channel_id": text(told, "channel_id") or text(place, "id"), "id": None}
    known_here = _knowing(place, told, known)
    content, kind = _meaning(told)
    if content is None:
        return dropped("noise", told, manner, key=key)
    chat = chat_of(where, known_here, manner)
    shared = is_shared(where, known_here)
    return Inbound(
        event_key=key,
        chat=chat,
        sender=sender_of(user, member, manner.account),
        content=content,
        at=manner.now or 0,
        kind=kind,
        reply_to=text(inner(told, "message"), "id") if kind is InboundKind.MESSAGE else None,
        admin=bool(_permissions(member) & RULES),
        message_id=text(inner(told, "message"), "id") if kind is InboundKind.BUTTON else None,
        addressed=True,
        shared=shared,
        place=chat.chat_id if shared else None,
    )


def _knowing(place: Json, told: Json, known: Known) -> Known:
    """An interaction says itself in which channel it happened; whoever reads one file knows no other."""
    if text(place, "id") is None or text(place, "id") in known.places:
        return known
    here = Known(me=known.me, name=known.name, role=known.role)
    here.learn_place({"type": DM if text(told, "guild_id") is None else 0, "guild_id": told.get("guild_id"), **place})
    return here


def _meaning(told: Json) -> tuple[str | None, InboundKind]:
    data = inner(told, "data")
    match number(told, "type"):
        case kind if kind == COMMAND and text(data, "name"):
            return " ".join([f"/{text(data, 'name')}", *_arguments(data)]), InboundKind.COMMAND
        case kind if kind == COMPONENT and text(data, "custom_id") != WRITE:
            return next(iter(texts(data, "values")), text(data, "custom_id")), InboundKind.BUTTON
        case kind if kind == FORM:
            return "\n".join(_written(data)) or None, InboundKind.MESSAGE
    return None, InboundKind.MESSAGE


def _arguments(data: Json, depth: int = DEEPEST) -> Iterator[str]:
    """The values of the options; a message or a person that a menu was opened on comes last."""
    if not depth:
        return
    for option in objects(data, "options"):
        if "value" in option:
            value = option["value"]
            yield str(value).lower() if isinstance(value, bool) else str(value)
        yield from ([name] if (name := text(option, "name")) and objects(option, "options") else [])
        yield from _arguments(option, depth - 1)
    target = text(data, "target_id")
    message = inner(data, "resolved", "messages", target) if target else {}
    if text(message, "content"):
        yield text(message, "content") or ""


def _written(data: Json, depth: int = DEEPEST) -> Iterator[str]:
    """What stands in the fields of a form, in its rows or labels."""
    if not depth:
        return
    for row in objects(data, "components"):
        if text(row, "value"):
            yield text(row, "value") or ""
        label = inner(row, "component")
        if text(label, "value"):
            yield text(label, "value") or ""
        yield from _written(row, depth - 1)


def _permissions(member: Json) -> int:
    found = text(member, "permissions") or ""
    return int(found) if found.isascii() and found.isdigit() and len(found) <= 20 else 0
