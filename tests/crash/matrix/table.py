"""The table, and the sentence under it."""

from collections.abc import Iterator, Sequence
from statistics import median

from tests.crash.matrix.matrix import Line, never_reached
from tests.crash.matrix.rows import row

KINDS = ("lost", "repeated", "reordered", "wrong_chat", "tools_twice", "left_over", "labelled")
HEAD = ("row", "point", "platform", "kills", *KINDS)


def table(lines: Sequence[Line]) -> str:
    """One line a point and platform."""
    rows = [HEAD, *sorted((_row(line) for line in lines), key=lambda one: (int(one[0][1:]), one[1:3]))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(line: Line) -> tuple[str, ...]:
    point = line.cell.point
    counts = (str(line.count(kind)) for kind in KINDS)
    return (row(point), str(point), line.cell.profile.name, str(line.kills), *counts)


def remarks(lines: Sequence[Line]) -> Iterator[str]:
    """What the last line has no place for."""
    ready = sorted(seconds for line in lines for outcome in line.outcomes for seconds in outcome.ready_s)
    if ready:
        yield f"ready after a restart: {median(ready):.2f} s in the middle, {ready[-1]:.2f} s at most, of {len(ready)}"
    labelled = sum(line.count("labelled") for line in lines)
    yield f"repeats that may be and say so, where the platform offers nothing: {labelled}"
    left_over = sum(line.count("left_over") for line in lines)
    if left_over:
        yield f"left over in the store: {left_over}"
    for cell in never_reached(lines):
        yield f"never killed at: {cell.point} ({cell.profile.name})"


def last_line(lines: Sequence[Line]) -> str:
    """The sums."""
    kills = sum(len(outcome.kills) for line in lines for outcome in line.outcomes)
    sums = " ".join(
        f"{kind}={sum(line.count(kind) for line in lines)}"
        for kind in ("lost", "reordered", "wrong_chat", "repeated", "tools_twice")
    )
    return f"crash: kills={kills} {sums}"


def is_good(lines: Sequence[Line]) -> bool:
    """Whether nothing is wrong, and every point was reached."""
    wrong = any(outcome.findings.wrong for line in lines for outcome in line.outcomes)
    return not wrong and not never_reached(lines)
