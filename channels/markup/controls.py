"""Text that can only be read: everything a terminal, or a reader of text, would obey is taken out."""

import re

# A control string (title, clipboard, palette, device settings) runs to its terminator, wherever that is; without one
# it ends with its line, so that a stray introducer cannot hide the rest of a reply. The payload classes stop at the
# next introducer, so each character is looked at twice at most and nothing backtracks: quantifiers are possessive.
_STRING = (
    r"(?:\x1b[\]PX^_k]|[\x90\x98\x9d\x9e\x9f])"
    r"(?:[^\x07\x1b\x90\x98\x9b-\x9f]*+(?:\x07|\x1b\\|\x9c)|[^\n\x07\x1b\x90\x98\x9b-\x9f]*+)"
)
_CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
_ESCAPE = r"\x1b(?:[ -/]++[0-~]?|[0-~])?"
# Single characters: C0 but tab and newline, DEL, C1, and the marks that reorder the text that follows them.
_SINGLE = r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"

_CONTROL = re.compile(f"(?:{_STRING}|{_CSI}|{_ESCAPE}|{_SINGLE})++")
_SUSPECT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]+")


def strip_controls(text: str) -> str:
    """The text without control characters and sequences, payloads included; newline and tab stay.

    Half of a surrogate pair, which no encoding can carry, becomes U+FFFD. Linear in the length of the text whatever
    stands in it, and harmless when applied twice.
    """
    if _SUSPECT.search(text):
        text = _CONTROL.sub("", text)
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub("\ufffd", text)
