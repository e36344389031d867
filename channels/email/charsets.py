"""Bytes of a mail as text, whatever charset they claim to be in. Never raises."""

import codecs

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
    "iso-2022-jp": "iso2022_jp_ext",
}
FALLBACKS = ("utf-8", "cp1252")


def decoded(data: bytes, charset: str | None) -> str:
    """The text, without a byte order mark.

    What claims to be narrow and is UTF-8 is UTF-8; bytes that mean nothing become U+FFFD.
    """
    return _decoded(data, _known(charset)).removeprefix("\ufeff")


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
