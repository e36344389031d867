"""The words of a message: what is said to us, what is quoted, and a line for what is neither text nor file. Pure.

Entities count in UTF-16 units, as Telegram does.
"""

import re
from collections.abc import Callable, Mapping

from channels.telegram.people import Me
from channels.telegram.raw import Raw, flag_at, id_at, number_at, object_at, objects_at, text_at

LONGEST_QUOTE = 500
COMMAND = re.compile(r"/(\w{1,32})(?:@(\w+))?(?=\s|$)")


def words(message: Raw) -> str:
    """The text, or the caption of a file."""
    return text_at(message, "text") or text_at(message, "caption")


def for_another_bot(message: Raw, me: Me) -> bool:
    """A command with another bot's name behind it."""
    command = COMMAND.match(words(message))
    return bool(command and command[2] and me.username and not me.is_named(command[2]))


def addressed(message: Raw, me: Me) -> bool | None:
    """Whether a group's message is meant for us: our name, a command, a reply to us. None while nobody knows our name.

    Only entities count: a name inside code or an address is no mention.
    """
    if not me.id and not me.username:
        return None
    replied = object_at(message, "reply_to_message")
    answers = bool(me.id) and id_at(object_at(replied, "from"), "id") == me.id and not _opens_topic(replied)
    return answers or COMMAND.match(words(message)) is not None or bool(_mentions(message, me))


def said(message: Raw, me: Me) -> str:
    """The words without our own name in front, or behind the command."""
    text = words(message)
    command = COMMAND.match(text)
    if command and command[2] and me.is_named(command[2]):
        return f"/{command[1]}{text[command.end() :]}"
    front = [end for start, end in _mentions(message, me) if not text[:start].strip()]
    return text[front[0] :].lstrip(" ,:;\u2014-\n") if front else text


def quoted(message: Raw, me: Me) -> str:
    """The words that a message refers to, as a block of quotation; "" where it needs none.

    A reply to ourselves without a passage marked needs none: the conversation holds what was replied to. Nor does a
    command.
    """
    if COMMAND.match(words(message)):
        return ""
    passage = text_at(object_at(message, "quote"), "text") or _referred(message, me)
    if len(passage) > LONGEST_QUOTE:
        passage = f"{passage[:LONGEST_QUOTE]}..."
    return "\n".join(f"> {line}" for line in passage.splitlines())


def _referred(message: Raw, me: Me) -> str:
    """The words of somebody else's message that is replied to."""
    replied = object_at(message, "reply_to_message") or object_at(message, "external_reply")
    ours = bool(me.id) and id_at(object_at(replied, "from"), "id") == me.id
    return "" if ours or _opens_topic(replied) else words(replied) or summary(replied)


def summary(message: Raw) -> str:
    """One line for what has no words of its own: places, contacts, polls, dice, stickers."""
    for kind, told in SUMMARIES.items():
        found = object_at(message, kind)
        if found:
            return f"[{kind}: {told(found)}]"
    return ""


def _place(found: Raw) -> str:
    return f"{found.get('latitude')}, {found.get('longitude')}"


def _venue(found: Raw) -> str:
    name = " ".join(part for part in (text_at(found, "title"), text_at(found, "address")) if part)
    return f"{name}, {_place(object_at(found, 'location'))}"


def _contact(found: Raw) -> str:
    name = " ".join(part for part in (text_at(found, "first_name"), text_at(found, "last_name")) if part)
    return f"{name}, {text_at(found, 'phone_number')}"


def _poll(found: Raw) -> str:
    options = " / ".join(text_at(one, "text") for one in objects_at(found, "options"))
    return f"{text_at(found, 'question')} {options}"


def _dice(found: Raw) -> str:
    return f"{text_at(found, 'emoji')} {number_at(found, 'value')}"


def _sticker(found: Raw) -> str:
    return text_at(found, "emoji")


# A venue's message has its place as a location too, so it comes first.
SUMMARIES: Mapping[str, Callable[[Raw], str]] = {
    "venue": _venue,
    "location": _place,
    "contact": _contact,
    "poll": _poll,
    "dice": _dice,
    "sticker": _sticker,
}


def _opens_topic(replied: Raw) -> bool:
    """Every message of a topic that replies to nothing else replies to the one that opened it."""
    return "forum_topic_created" in replied


def _mentions(message: Raw, me: Me) -> list[tuple[int, int]]:
    """Where our name stands, in characters."""
    units = words(message).encode("utf-16-le", "surrogatepass")
    found = []
    for entity in objects_at(message, "entities") or objects_at(message, "caption_entities"):
        start, length = number_at(entity, "offset") or 0, number_at(entity, "length") or 0
        if start < 0 or length < 1:
            continue
        name = units[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")
        if _names_us(entity, name, me):
            before = len(units[: 2 * start].decode("utf-16-le", "replace"))
            found.append((before, before + len(name)))
    return found


def _names_us(entity: Raw, name: str, me: Me) -> bool:
    """By our name, or by our number where a text stands for it."""
    if text_at(entity, "type") == "mention":
        return me.is_named(name)
    by_number = text_at(entity, "type") == "text_mention" and bool(me.id)
    return by_number and id_at(object_at(entity, "user"), "id") == me.id


def is_forwarded_by_telegram(message: Raw) -> bool:
    """The post of a linked channel, which Telegram itself puts into the group."""
    return flag_at(message, "is_automatic_forward")
