"""The lines above the prompt that come and go: the end of a draft, what is being done, a hint. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from prompt_toolkit.utils import get_cwidth

from channels.markup.controls import strip_controls

DRAFT_ROWS = 10
# A terminal that is made narrower breaks the rows that stand there, and what it breaks cannot be taken away cleanly:
# narrow rows survive that.
DRAFT_WIDTH = 72
TAB = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """What stands there now; none of it ever reaches the scrollback."""

    draft: str = ""
    progress: str = ""
    hint: str = ""


def rows(region: Region, *, width: int, height: int) -> list[tuple[str, str]]:
    """The region as (style class, row) pairs, no row wider than `width` cells, leaving most of `height` free.

    Costs the same for a long draft as for a short one.
    """
    room = max(1, min(DRAFT_ROWS, height - 6))
    drawn = [("draft", row) for row in tail(region.draft, width=min(width, DRAFT_WIDTH), count=room)]
    if region.progress:
        drawn.append(("progress", _clip(region.progress, width)))
    if region.hint:
        drawn.append(("hint", _clip(region.hint, width)))
    return drawn


def tail(text: str, *, width: int, count: int) -> list[str]:
    """The last `count` rows that the text fills when it is broken at `width` cells."""
    if not text:
        return []
    # Two characters a cell leave room for combining marks; what is cut before that could not be seen.
    text = strip_controls(text[-2 * width * count :]).rstrip("\n").replace("\t", TAB)
    return [row for line in text.split("\n")[-count:] for row in _broken(line, width)][-count:]


def _broken(line: str, width: int) -> Sequence[str]:
    rows: list[str] = []
    row, used = "", 0
    for char in line:
        cells = get_cwidth(char)
        if used + cells > width:
            rows.append(row)
            row, used = "", 0
        row += char
        used += cells
    return [*rows, row]


def _clip(text: str, width: int) -> str:
    return _broken(strip_controls(text).replace("\n", " ").replace("\t", " "), width)[0]
