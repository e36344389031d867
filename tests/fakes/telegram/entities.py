"""Formatted text as the server reads it: https://core.telegram.org/bots/api#html-style, and entities given as such.

Lengths and offsets are in UTF-16 units; byte offsets in complaints are those of the UTF-8 text that was sent.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fakes.telegram.refused import bad
from tests.fakes.wire import Json, number_at, text_at

KINDS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
    "a": "text_link",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
}
ENTITY_KINDS = {*KINDS.values(), "expandable_blockquote", "text_mention", "mention", "bot_command", "url", "hashtag"}
MOST_ENTITIES = 100
TOKEN = re.compile(r"<(?P<close>/?)(?P<name>[a-zA-Z-]*)(?P<rest>[^<>]*)(?P<end>>?)")
HREF = re.compile(r"""href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
KNOWN = re.compile(r"&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """Plain text and what is special in it."""

    text: str
    entities: list[Json] = field(default_factory=list, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A tag that waits for its end; `at` is where its text begins, in UTF-16 units."""

    name: str
    rest: str
    at: int


def units(text: str) -> int:
    """The length that the platform counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def read(text: str, parse_mode: str, entities: list[Json]) -> Formatted:
    """What is shown. Raises Refused with the server's own words for what it cannot parse."""
    if parse_mode.lower() == "html":
        return _trimmed(_html(text))
    if parse_mode:
        raise bad(f"unsupported parse_mode {parse_mode}: this server reads HTML and entities")
    _check(text, entities)
    return _trimmed(Formatted(text=text, entities=entities[:MOST_ENTITIES]))


def _html(source: str) -> Formatted:
    shown: list[str] = []
    open_tags: list[Opened] = []
    found: list[Json] = []
    end = 0
    for token in TOKEN.finditer(source):
        shown.append(_unescaped(source[end : token.start()]))
        end = token.end()
        at = units("".join(shown))
        offset = len(source[: token.start()].encode())
        if token["close"]:
            found += _closed(token, open_tags, at, offset)
        else:
            open_tags.append(_opened(token, at, offset))
    shown.append(_unescaped(source[end:]))
    if open_tags:
        name = open_tags[-1].name
        raise bad(f"can't parse entities: Can't find end tag corresponding to start tag \"{name}\"")
    found.sort(key=lambda one: (number_at(one, "offset"), -number_at(one, "length")))
    return Formatted(text="".join(shown), entities=found[:MOST_ENTITIES])


def _opened(token: re.Match[str], at: int, offset: int) -> Opened:
    name = token["name"].lower()
    if not token["end"]:
        raise bad(f"can't parse entities: Unclosed start tag at byte offset {offset}")
    if name not in KINDS or (name == "span" and "tg-spoiler" not in token["rest"]):
        raise bad(f'can\'t parse entities: Unsupported start tag "{name}" at byte offset {offset}')
    return Opened(name=name, rest=token["rest"], at=at)


def _closed(token: re.Match[str], open_tags: list[Opened], at: int, offset: int) -> list[Json]:
    name = token["name"].lower()
    if not open_tags:
        raise bad(f"can't parse entities: Unexpected end tag at byte offset {offset}")
    begun = open_tags.pop()
    if name and name != begun.name:
        expected = f'expected "</{begun.name}>", found "</{name}>"'
        raise bad(f"can't parse entities: Unmatched end tag at byte offset {offset}, {expected}")
    return list(_entity(begun, at))


def _entity(begun: Opened, at: int) -> Iterator[Json]:
    if at == begun.at:
        return
    entity: Json = {"type": KINDS[begun.name], "offset": begun.at, "length": at - begun.at}
    if begun.name == "a":
        link = HREF.search(begun.rest)
        if link is None:
            return
        entity["url"] = html.unescape(next(group for group in link.groups() if group is not None))
    if begun.name == "blockquote" and "expandable" in begun.rest:
        entity["type"] = "expandable_blockquote"
    yield entity


def _unescaped(text: str) -> str:
    """Only four names and numbers are known; other text stays as it is."""
    return KNOWN.sub(lambda found: html.unescape(found[0]), text)


def _check(text: str, entities: list[Json]) -> None:
    whole = units(text)
    for entity in entities:
        if text_at(entity, "type") not in ENTITY_KINDS:
            raise bad(f"can't parse MessageEntity: unsupported type {text_at(entity, 'type')}")
        start, length = number_at(entity, "offset", default=-1), number_at(entity, "length")
        if start < 0 or length <= 0 or start + length > whole:
            raise bad(f"entity beginning at UTF-16 offset {start} ends after the end of the text at offset {whole}")


def _trimmed(formatted: Formatted) -> Formatted:
    """White space at both ends is never shown; what it held of entities goes with it."""
    text = formatted.text.rstrip()
    lead = units(text) - units(text.lstrip())
    text = text.lstrip()
    kept: list[Json] = []
    for entity in formatted.entities:
        start = max(0, number_at(entity, "offset") - lead)
        end = min(units(text), number_at(entity, "offset") + number_at(entity, "length") - lead)
        if end > start:
            kept.append({**entity, "offset": start, "length": end - start})
    return Formatted(text=text, entities=kept)
