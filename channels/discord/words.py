"""The words of a message: its text, and what stands beside it as text. Pure."""

import re
from collections.abc import Callable, Iterator

from channels.discord.fields import Json, inner, number, objects, text
from channels.discord.known import Known

FORWARDED = 1
_MENTION = re.compile(r"<(?P<kind>@!?|@&|#)(?P<id>\d{1,20})>")
_EMOJI = re.compile(r"<a?(:\w{1,64}:)\d{1,20}>")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def words_of(message: Json, known: Known) -> str:
    """All that it says: text, forwarded message, stickers, embeds, polls; our own mention in front is taken off."""
    pieces = [readable(own_text(message, known), message, known)]
    pieces += _forwarded(message, known)
    pieces += [f"[sticker: {text(one, 'name') or 'unnamed'}]" for one in objects(message, "sticker_items")]
    if not pieces[0]:
        # What a link unfolds to is no part of what a person says; an embed alone is all that there is.
        pieces += [_embed(one) for one in objects(message, "embeds")]
    pieces += _poll(inner(message, "poll"))
    return "\n".join(piece for piece in pieces if piece).strip()


def own_text(message: Json, known: Known) -> str:
    """The text without a mention of us in front, which only says that it is for us."""
    content = _UNSTORABLE.sub("\ufffd", text(message, "content") or "")
    names = [f"@!?{re.escape(known.me)}"] if known.me else []
    names += [f"@&{re.escape(role)}" for role in known.ours(text(message, "guild_id"))]
    return re.sub(rf"^\s*<(?:{'|'.join(names)})>[\s,:]*", "", content) if names else content


def mentions_us(message: Json, known: Known) -> bool:
    """By our id or by the role that a guild made for us; @everyone and @here are not us."""
    if any(text(user, "id") == known.me for user in objects(message, "mentions")):
        return True
    roles = known.ours(text(message, "guild_id"))
    found = _MENTION.finditer(text(message, "content") or "")
    return any(one["id"] == known.me if one["kind"] in ("@", "@!") else one["id"] in roles for one in found)


def readable(content: str, message: Json, known: Known) -> str:
    """The text with names for the ids in it."""
    people = {text(user, "id"): display_name(user, {}) for user in objects(message, "mentions")}

    def name(found: re.Match[str]) -> str:
        one, kind = found["id"], found["kind"]
        if kind == "#":
            place = known.places.get(one)
            return f"#{place.name}" if place and place.name else found[0]
        if kind == "@&":
            return f"@{known.names[one]}" if known.names.get(one) else found[0]
        told = people.get(one) or (known.name if one == known.me else "")
        return f"@{told}" if told else found[0]

    return _EMOJI.sub(r"\1", _MENTION.sub(name, content))


def display_name(user: Json, member: Json) -> str:
    """As people see it."""
    return text(member, "nick") or text(user, "global_name") or text(user, "username") or text(user, "id") or ""


def _forwarded(message: Json, known: Known) -> Iterator[str]:
    """What was passed on, quoted; without a snapshot of it, the message that it refers to."""
    if number(inner(message, "message_reference"), "type") != FORWARDED:
        return
    snapshots = [inner(one, "message") for one in objects(message, "message_snapshots")]
    for one in snapshots or [inner(message, "referenced_message")]:
        said = words_of({**one, "message_reference": None}, known)
        files = [f"[file: {text(file, 'filename') or 'unnamed'}]" for file in objects(one, "attachments")]
        if said or files:
            yield "[forwarded]\n" + "\n".join(f"> {line}" for line in [*said.splitlines(), *files])


def _embed(embed: Json) -> str:
    fields = [f"{text(one, 'name') or ''}: {text(one, 'value') or ''}" for one in objects(embed, "fields")]
    keys: tuple[Callable[[], str | None], ...] = (
        lambda: text(inner(embed, "author"), "name"),
        lambda: text(embed, "title"),
        lambda: text(embed, "url"),
        lambda: text(embed, "description"),
    )
    lines = [one for key in keys if (one := key())] + fields
    footer = text(inner(embed, "footer"), "text")
    return "\n".join([*lines, footer] if footer else lines)


def _poll(poll: Json) -> Iterator[str]:
    question = text(inner(poll, "question"), "text")
    if question:
        answers = [text(inner(one, "poll_media"), "text") or "" for one in objects(poll, "answers")]
        yield "\n".join([f"[poll] {question}", *(f"- {answer}" for answer in answers)])
