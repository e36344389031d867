"""Bytes of a mail as text, whatever charset they claim to be in. Never raises."""

import codecs
import re

# Names that mails carry and Python lacks, or knows as something narrower than what mailers mean by it (WHATWG).
ALIASES = {
    "windows-874": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "x-windows-949": "cp949",
    "ks_c_5601-1987": "cp949",
    "ksc5601": "cp949",
    "euc-kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "x-gbk": "gb18030",
    "x-sjis": "cp932",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "windows-31j": "cp932",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "ansi_x3.4-1968": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
    "unknown-8bit": "utf-8",
    "x-unknown": "utf-8",
    "8bit": "utf-8",
    "default": "utf-8",
    "utf8": "utf-8",
    "utf-8": "utf-8",
    "cp-850": "cp850",
}
FALLBACKS = ("utf-8", "cp1252")


def decoded(data: bytes, charset: str | None) -> str:
    """The text, without a byte order mark.

    What claims to be narrow and is UTF-8 is UTF-8; bytes that mean nothing become U+FFFD.
    """
    if (charset or "").strip("\"' ").lower() in ("iso-2022-jp", "csiso2022jp"):
        return _from_jis(data)
    return _decoded(data, _known(charset)).removeprefix("\ufeff")


def _from_jis(data: bytes) -> str:
    """ISO-2022-JP as mailers write it: with the vendors' characters in it, which only Shift JIS has at these places."""
    out = []
    for piece in re.split(rb"(?=\x1b[$(])", data):
        if piece[:3] in (b"\x1b$B", b"\x1b$@"):
            out.append(_shifted(piece[3:]).decode("cp932", errors="replace"))
        elif piece[:3] == b"\x1b(I":
            out.append(bytes(one | 0x80 for one in piece[3:]).decode("cp932", errors="replace"))
        else:
            text = piece[3:] if piece[:2] == b"\x1b(" else piece
            out.append(_decoded(text, "utf-8"))
    return "".join(out)


def _shifted(pairs: bytes) -> bytes:
    """JIS rows and cells as Shift JIS."""
    out = bytearray()
    for first, second in zip(pairs[::2], pairs[1::2], strict=False):
        out.append((first + 1) // 2 + (0x70 if first < 0x5F else 0xB0))
        out.append(second + (0x7E if first % 2 == 0 else 0x1F + (second > 0x5F)))
    return bytes(out)


def _decoded(data: bytes, name: str | None) -> str:
    narrow = name == "cp1252" and _looks_like_utf8(data)
    for candidate in [*(["utf-8"] if narrow else []), *([name] if name else [])]:
        try:
            return data.decode(candidate)
        except (UnicodeError, ValueError):
            continue
    for candidate in FALLBACKS:
        try:
            return data.decode(candidate)
        except UnicodeError:
            continue
    return data.decode(name or "utf-8", errors="replace")


def _looks_like_utf8(data: bytes) -> bool:
    """Whether the bytes beyond ASCII make whole characters: by chance that is rare in a Latin text."""
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeError:
        return False
    return True


def _known(charset: str | None) -> str | None:
    """The codec for a claimed name; None where there is none that makes text of bytes."""
    name = (charset or "").strip().strip("\"'").lower().split("*")[0]
    if not name.isascii() or not name.isprintable() or "\0" in name:
        return None
    name = ALIASES.get(name, ALIASES.get(name.replace("_", "-"), name))
    try:
        b"".decode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
