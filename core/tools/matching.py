"""The part of search_text that a hostile pattern can stall. It runs in a child process: see confined.py."""

import re
from collections.abc import Iterator
from itertools import islice

from core.tools.child import Message, serve
from core.tools.text import lines_of

LONGEST_SHOWN = 300  # characters of a line
LEAD = 60  # of them before the match


def answer(message: Message) -> Message:
    """`pattern`, `ignore_case`, `context`, `limit` and `files` (path and text) to `rows`, `matches`; or to `error`.

    A row is path, line number, whether it matches, text. `matches` is at most `limit`.
    """
    pattern, ignore_case, context, limit, files = (
        message[key] for key in ("pattern", "ignore_case", "context", "limit", "files")
    )
    assert isinstance(pattern, str)
    assert isinstance(context, int)
    assert isinstance(limit, int)
    assert isinstance(files, list)
    try:
        regex = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as exc:
        return {"error": str(exc)}
    rows: list[list[object]] = []
    matches = 0
    for path, text in files:
        lines = lines_of(text)
        found = dict(islice(_found(regex, lines), limit - matches))
        matches += len(found)
        rows.extend([path, *row] for row in _rows(lines, found, context))
        if matches >= limit:
            break
    return {"rows": rows, "matches": matches}


def _found(regex: re.Pattern[str], lines: list[str]) -> Iterator[tuple[int, int]]:
    for number, line in enumerate(lines):
        if match := regex.search(line):
            yield number, match.start()


def _rows(lines: list[str], found: dict[int, int], context: int) -> Iterator[tuple[int, bool, str]]:
    near = {number for at in found for number in range(max(0, at - context), min(len(lines), at + context + 1))}
    for number in sorted(near):
        yield number + 1, number in found, _excerpt(lines[number], found.get(number, 0))


def _excerpt(line: str, at: int) -> str:
    start = max(0, at - LEAD) if len(line) > LONGEST_SHOWN else 0
    part = line[start : start + LONGEST_SHOWN]
    return ("..." if start else "") + part + ("..." if start + len(part) < len(line) else "")


def main() -> None:
    """The child's program."""
    serve(answer)
