"""The header section of a mail: fields in their order, decoded and without anything that could end a line."""

import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from channels.email.charsets import decoded
from channels.markup.controls import strip_controls

MOST_FIELDS = 1_000
LONGEST_FIELD = 64_000
_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*:(.*)", re.DOTALL)
_WORD = re.compile(r"=\?([^?\s]{0,80})\?([bBqQ])\?([^?\s]{0,8000})\?=")
_BETWEEN = re.compile(r"(\?=)[ \t\r\n]++(?==\?)")
_BREAKS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+[ \t]*")
_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """Fields in the order of the mail, names in lower case, values unfolded and otherwise raw."""

    fields: Sequence[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        """Every value of a field, the topmost first."""
        return [value for found, value in self.fields if found == name]

    def first(self, name: str) -> str:
        """The topmost value, empty where there is none. A second one never changes what the first one says."""
        return next((value for found, value in self.fields if found == name), "")

    def has(self, name: str) -> bool:
        """Whether the field is there at all."""
        return any(found == name for found, _ in self.fields)

    def text(self, name: str) -> str:
        """The topmost value as people read it: encoded words decoded, on one line."""
        return readable(self.first(name))


def parsed(block: bytes) -> Headers:
    """All fields that can be told apart; lines that are none are left out."""
    return Headers(fields=tuple(_fields(block)))


def _fields(block: bytes) -> Iterator[tuple[str, str]]:
    for count, line in enumerate(_unfolded(block)):
        if count >= MOST_FIELDS:
            return
        found = _FIELD.fullmatch(line[:LONGEST_FIELD])
        if found:
            yield found[1].decode("ascii").lower(), decoded(found[2].strip(), None)


def _unfolded(block: bytes) -> list[bytes]:
    """Lines with their continuations."""
    lines: list[list[bytes]] = []
    for line in re.split(rb"\r\n|\r|\n", block):
        if line[:1] in (b" ", b"\t") and lines:
            lines[-1].append(line)
        elif line.strip():
            lines.append([line])
    return [b"".join(pieces) for pieces in lines]


def readable(value: str) -> str:
    """Encoded words decoded (RFC 2047), controls and line breaks taken out afterwards, so that no word can add one."""
    joined = _BETWEEN.sub(r"\1", value)
    words: list[tuple[str, bytes]] = []
    out: list[str] = []
    at = 0
    for found in _WORD.finditer(joined):
        if joined[at : found.start()]:
            out.append(_flushed(words) + joined[at : found.start()])
            words = []
        words.append((found[1], _word_bytes(found[2], found[3])))
        at = found.end()
    return one_line("".join([*out, _flushed(words), joined[at:]]))


def one_line(text: str) -> str:
    """The text without controls, on one line."""
    return " ".join(strip_controls(_BREAKS.sub(" ", text)).split())


def _flushed(words: list[tuple[str, bytes]]) -> str:
    """Neighbours of one charset are joined before they are decoded: a character may stand in two of them."""
    joined: list[tuple[str, bytes]] = []
    for charset, data in words:
        if joined and joined[-1][0].lower() == charset.lower():
            joined[-1] = (charset, joined[-1][1] + data)
        else:
            joined.append((charset, data))
    return "".join(decoded(data, charset) for charset, data in joined)


def _word_bytes(encoding: str, text: str) -> bytes:
    raw = text.encode("utf-8", "replace")
    return from_base64(raw) if encoding in "bB" else from_quoted(raw.replace(b"_", b" "))


def from_base64(data: bytes) -> bytes:
    """What can be read of it: foreign characters are skipped, a torn end is left out."""
    clean = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    clean = clean[: len(clean) - (len(clean) % 4 == 1)]
    try:
        return binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))
    except binascii.Error:
        return b""


def from_quoted(data: bytes) -> bytes:
    """Quoted-printable; an equals sign that introduces nothing stays."""
    return _HEX.sub(lambda found: bytes([int(found[1], 16)]), data)


def parameters(value: str) -> tuple[str, dict[str, str]]:
    """A value with parameters (RFC 2045, RFC 2231): the value in lower case, and what the parameters say."""
    pieces = _split(value)
    found: dict[str, dict[int, tuple[str, bool]]] = {}
    for piece in pieces[1:]:
        name, equals, said = piece.partition("=")
        if equals:
            _take(found, name.strip().lower(), said.strip())
    plain = {name: _assembled(sections) for name, sections in found.items()}
    return pieces[0].strip().lower(), plain


def _split(value: str) -> list[str]:
    """At semicolons outside of quotes."""
    pieces: list[str] = []
    current: list[str] = []
    quoted = escaped = False
    for character in value[:LONGEST_FIELD]:
        if character == ";" and not quoted:
            pieces.append("".join(current))
            current = []
            continue
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = character == "\\" and not escaped
        current.append(character)
    return [*pieces, "".join(current)]


def _take(found: dict[str, dict[int, tuple[str, bool]]], name: str, said: str) -> None:
    if said.startswith('"'):
        said = re.sub(r"\\(.)", r"\1", said.strip('"'))
    encoded = name.endswith("*")
    base, star, number = name.rstrip("*").partition("*")
    section = int(number) if star and number.isascii() and number.isdigit() and len(number) < 4 else 0
    found.setdefault(base, {}).setdefault(section, (said, encoded))


def _assembled(sections: dict[int, tuple[str, bool]]) -> str:
    ordered = [sections[number] for number in sorted(sections)]
    if not any(encoded for _, encoded in ordered):
        return readable("".join(said for said, _ in ordered))
    charset, data = "utf-8", bytearray()
    for index, (said, encoded) in enumerate(ordered):
        if encoded and index == 0 and said.count("'") >= 2:
            charset, _, said = said.split("'", 2)
        raw = said.encode("utf-8", "replace")
        data += from_quoted(raw.replace(b"%", b"=")) if encoded else raw
    return one_line(decoded(bytes(data), charset))
