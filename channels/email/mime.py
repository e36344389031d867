"""The parts of a mail, by one strict reader: bounded in size, depth and number, each byte looked at once a level.

The standard library's parser nests without a bound and guesses; this one tells what it left out.
"""

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass

from channels.email.headers import Headers, from_base64, parameters, parsed

DEEPEST = 16
MOST_PARTS = 300
LONGEST_HEADER = 256_000
_ENDS = re.compile(rb"\r?\n[ \t]*\r?\n|\r[ \t]*\r(?!\n)")
_BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One leaf of a mail: decoded bytes with what its header says. `whole` is False where its end is missing."""

    headers: Headers
    media_type: str
    charset: str | None
    name: str
    attached: bool
    data: bytes
    flowed: bool = False
    whole: bool = True
    alternative: int = 0
    """Which multipart/alternative it belongs to; 0 for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A whole mail. `cut` says that some of it went beyond what is read."""

    headers: Headers
    media_type: str
    parameters: dict[str, str]
    parts: tuple[Part, ...]
    cut: bool = False


class _Walk:
    """What is counted on the way through."""

    def __init__(self) -> None:
        self.parts = 0
        self.alternatives = 0
        self.cut = False


def read(raw: bytes) -> Mail:
    """Never raises, whatever the bytes are."""
    headers, body = _divided(_without_envelope(raw))
    media_type, told = parameters(headers.first("content-type"))
    walk = _Walk()
    parts = tuple(_parts(headers, body, walk, depth=0, alternative=0))
    return Mail(headers=headers, media_type=media_type or "text/plain", parameters=told, parts=parts, cut=walk.cut)


def _without_envelope(raw: bytes) -> bytes:
    """Without a byte order mark, empty lines in front, and the line that a mbox puts there."""
    raw = raw.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANK)
    if raw.startswith((b"From ", b">From ")):
        _, _, raw = raw.partition(b"\n")
    return raw


def _divided(raw: bytes) -> tuple[Headers, bytes]:
    if raw[:1] in (b"\n", b"\r"):
        return parsed(b""), raw.lstrip(b"\r\n")
    found = _ENDS.search(raw, 0, LONGEST_HEADER)
    if found is None:
        return parsed(raw[:LONGEST_HEADER]), b""
    return parsed(raw[: found.start()]), raw[found.end() :]


def _parts(headers: Headers, body: bytes, walk: _Walk, *, depth: int, alternative: int) -> Iterator[Part]:
    if walk.parts >= MOST_PARTS:
        walk.cut = True
        return
    media_type, told = parameters(headers.first("content-type"))
    boundary = told.get("boundary", "")
    if not media_type.startswith("multipart/") or not boundary:
        walk.parts += 1
        yield _leaf(headers, body, alternative)
        return
    if depth >= DEEPEST:
        walk.cut = True
        return
    if media_type == "multipart/alternative" and not alternative:
        walk.alternatives += 1
        alternative = walk.alternatives
    for piece in _pieces(body, boundary.encode("utf-8", "replace")) or _pieces(body, _guessed(body)):
        inner, content = _divided(piece)
        yield from _parts(inner, content, walk, depth=depth + 1, alternative=alternative)


def _pieces(body: bytes, boundary: bytes) -> list[bytes]:
    """What stands between the delimiter lines; a missing last one ends with the body."""
    line = re.compile(rb"(?:\A|\r?\n|\r)--" + re.escape(boundary) + rb"(--)?[ \t]*(?=\r|\n|\Z)")
    starts: list[tuple[int, int, bool]] = []
    for found in line.finditer(body):
        starts.append((found.start(), found.end(), found[1] is not None))
        if found[1] or len(starts) > MOST_PARTS:
            break
    pieces = []
    for number, (_, end, closes) in enumerate(starts):
        if not closes:
            until = starts[number + 1][0] if number + 1 < len(starts) else len(body)
            pieces.append(_after_line(body[end:until]))
    return pieces


def _guessed(body: bytes) -> bytes:
    """A delimiter that stands in front of a header, for a body that does not have the one that was announced."""
    found = re.search(rb"^--([^\r\n]{1,70}?)[ \t]*\r?\n(?=[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-)", body, re.MULTILINE)
    return found[1] if found else b"\0"


def _after_line(piece: bytes) -> bytes:
    """Without the end of the delimiter's own line: what follows is a header, or an empty line for none."""
    for ending in (b"\r\n", b"\n", b"\r"):
        if piece.startswith(ending):
            return piece[len(ending) :]
    return piece


def _leaf(headers: Headers, body: bytes, alternative: int) -> Part:
    media_type, told = parameters(headers.first("content-type"))
    disposition, placed = parameters(headers.first("content-disposition"))
    data, whole = _decoded(body, headers.first("content-transfer-encoding"))
    name = placed.get("filename") or told.get("name", "")
    return Part(
        headers=headers,
        media_type=media_type if "/" in media_type else "text/plain",
        charset=told.get("charset"),
        name=name,
        attached=disposition == "attachment" or bool(name and not media_type.startswith("text/")),
        data=data,
        flowed=told.get("format", "").lower() == "flowed",
        whole=whole,
        alternative=alternative,
    )


def _decoded(body: bytes, encoding: str) -> tuple[bytes, bool]:
    """The bytes, and whether all that stood there could be decoded."""
    match re.sub(r"[^a-z0-9]", "", encoding.lower()):
        case "base64":
            clean = re.sub(rb"\s+", b"", body)
            sound = re.fullmatch(rb"[A-Za-z0-9+/]*+={0,2}", clean) is not None and len(clean) % 4 == 0
            return from_base64(body), sound
        case "quotedprintable":
            return quopri.decodestring(body), True
        case _:
            return body, True
