"""Cuts escaped text into messages, where a reader would pause; lengths count in UTF-16 units, as Telegram counts."""

import re
from collections.abc import Sequence

# What must not be cut: a mention, an escaped character, a character with all that joins it.
_ATOM = re.compile(
    r"<a [^>]*>[^<]*</a>|&(?:amp|lt|gt|quot|#\d+);"
    r"|.(?:[\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|(?<=\u200d).)*",
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")


def cut(text: str, limit: int) -> list[str]:
    """The pieces, none empty; white space at a cut is left out, and nothing else is."""
    atoms = _ATOM.findall(text)
    pieces: list[str] = []
    start = 0
    while start < len(atoms):
        end = _fitting(atoms, start, limit)
        if end < len(atoms):
            end = _pause(atoms, start, end)
        piece = "".join(atoms[start:end]).strip()
        if piece:
            pieces.append(piece)
        start = end
    return pieces


def _fitting(atoms: Sequence[str], start: int, limit: int) -> int:
    """How far one message reaches: at least one atom, however long."""
    length, end = 0, start
    while end < len(atoms):
        length += _units(atoms[end])
        if length > limit and end > start:
            return end
        end += 1
    return end


def _pause(atoms: Sequence[str], start: int, end: int) -> int:
    """The last end of a paragraph, line or word in the second half; else where it is full."""
    half = start + (end - start) // 2
    paragraph = next((at for at in range(end, half, -1) if atoms[at - 1] == "\n" == atoms[at - 2]), 0)
    line = paragraph or next((at for at in range(end, half, -1) if atoms[at - 1] == "\n"), 0)
    return line or next((at for at in range(end, half, -1) if atoms[at - 1].isspace()), end)


def _units(atom: str) -> int:
    if atom.startswith("&") and len(atom) > 1:
        return 1
    return len(_TAG.sub("", atom).encode("utf-16-le")) // 2
