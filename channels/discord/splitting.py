"""Text cut into messages: at line ends where that can be, with code blocks closed and opened again at a cut. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
# What stands behind an opening fence is repeated in each message only where it is the name of a language.
_LANGUAGE = re.compile(r"[\w.+#-]{1,30}")
LONGEST_MARKS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A code block that goes on behind a cut."""

    marks: str
    again: str

    def closes(self, line: str) -> bool:
        """A fence of the same kind, at least as long, with nothing behind it."""
        found = _FENCE.match(line)
        return found is not None and not found["info"].strip() and found["marks"].startswith(self.marks)


def split(text: str, most: int) -> list[str]:
    """Pieces of at most `most` characters, none of them blank; none at all for a blank text."""
    pieces = _pieces(text, most)
    return [piece for piece in pieces if piece.strip()]


def _pieces(text: str, most: int) -> Iterator[str]:
    lines: list[str] = []
    block: _Open | None = None
    size = 0
    for line in _lines(text, most - 2 * (LONGEST_MARKS + 32)):
        if lines and size + len(line) + LONGEST_MARKS + 2 > most:
            yield _closed(lines, block)
            lines = [block.again] if block else []
            size = sum(map(len, lines))
        size += len(line) + 1
        lines.append(line)
        block = _after(line, block)
    yield _closed(lines, block)


def _closed(lines: list[str], block: _Open | None) -> str:
    return "\n".join([*lines, block.marks] if block else lines)


def _after(line: str, block: _Open | None) -> _Open | None:
    if block is not None:
        return None if block.closes(line) else block
    found = _FENCE.match(line)
    if found is None or len(found["marks"]) > LONGEST_MARKS or "`" in found["info"]:
        return None
    language = _LANGUAGE.match(found["info"].strip())
    whole = language is not None and language[0] == found["info"].strip()
    return _Open(marks=found["marks"], again=found["marks"] + (language[0] if language and whole else ""))


def _lines(text: str, most: int) -> Iterator[str]:
    """The lines, those that are too long cut at a space, or where that cannot be, anywhere but behind a backslash."""
    for line in text.split("\n"):
        while len(line) > most:
            cut = line.rfind(" ", most // 2, most) + 1 or _safe(line, most)
            yield line[:cut].rstrip(" ")
            line = line[cut:]
        yield line


def _safe(line: str, most: int) -> int:
    """A place where the character before is no backslash that belongs to the one behind."""
    backslashes = len(line[:most]) - len(line[:most].rstrip("\\"))
    return most - backslashes % 2
