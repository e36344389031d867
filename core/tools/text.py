"""Bytes as text, and text within bounds. Pure."""

import codecs
import mimetypes
import re
from dataclasses import dataclass

LONGEST_LINE = 2_000  # characters of one line that are shown
_LOOKED_AT = 8_192
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
# Terminal sequences; every quantifier is possessive, so nothing is looked at twice.
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]?|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)?|\x1b[ -/]*+[0-~]?"
    r"|\x9b[0-?]*+[ -/]*+[@-~]?"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]")
# Codecs that decode in linear time. Others exist under innocent names: some need quadratic time or are no text at all.
_CHARSETS = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "latin-1", "koi8-r", "koi8-u", "mac-roman", "gbk", "gb2312"}
    | {
        "gb18030",
        "big5",
        "big5hkscs",
        "shift_jis",
        "cp932",
        "euc_jp",
        "euc_kr",
        "cp949",
        "iso2022_jp",
        "cp874",
        "tis-620",
    }
    | {f"iso8859-{number}" for number in range(1, 17)}
    | {f"cp{number}" for number in range(1250, 1259)}
)


def is_binary(content: bytes) -> bool:
    """Whether this is no text: a NUL or many control bytes near its start, and no mark of UTF-16."""
    head = content[:_LOOKED_AT]
    if any(head.startswith(mark) for mark, _ in _MARKS):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return b"\0" in head or controls * 20 > len(head)


def decoded(content: bytes) -> str:
    """Text by its mark, else UTF-8, else Latin-1; never fails."""
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return content.decode("latin-1") if encoding == "utf-8" else content.decode(encoding, "replace")


def decoded_as(content: bytes, charset: str) -> str:
    """Text in a named charset; as `decoded` does it when the name is unknown. Never fails."""
    try:
        name = codecs.lookup(charset.strip()).name
    except (LookupError, ValueError):
        return decoded(content)
    if name not in _CHARSETS:
        return decoded(content)
    return content.decode(name, "replace").removeprefix("\ufeff")


def charset_of(html: bytes) -> str:
    """The charset that a page names in its own head; empty when it names none."""
    found = _META.search(html[:2_048])
    return found[1].decode() if found else ""


def readable(text: str) -> str:
    """What programs write for a terminal as plain text: no colours, titles or cursor moves, no controls but newline
    and tab, no marks that reorder. Never longer than before, and linear in the length.
    """
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\ufffd", text)


def media_type(name: str) -> str:
    """By the file's name alone."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def lines_of(text: str) -> list[str]:
    """Lines as editors count them: a line feed ends one, and nothing else does."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def cut(text: str, limit: int) -> str:
    """At most `limit` characters of it, and then how many are left out."""
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text) - limit:,} more characters)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Numbered lines `first` to `last` of `total`; fewer than asked for when they do not fit."""

    text: str
    first: int
    last: int
    total: int


def window(lines: list[str], first: int, last: int, limit: int) -> Window:
    """Lines `first` to `last`, counted from 1, each with its number, in at most about `limit` characters."""
    shown: list[str] = []
    size = 0
    for number in range(first, min(last, len(lines)) + 1):
        line = f"{number:>6}\t{cut(lines[number - 1], LONGEST_LINE)}"
        size += len(line) + 1
        if shown and size > limit:
            break
        shown.append(line)
    return Window(text="\n".join(shown), first=first, last=first + len(shown) - 1, total=len(lines))
