"""What all targets share about drawing: marks of lists, columns of tables, what stands between pieces."""

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from channels.markup.sheet import Sheet
from channels.markup.tree import Inside, Item, Piece, Quote, Run, Runs, Table, text_of

BULLETS = ("•", "◦", "▪")
BOXES = {True: "☑", False: "☐"}
# Deeper lists are drawn as if they were no deeper.
DEEPEST = 4
INDENT = "   "
GUTTER = "  "
LONGEST_ADDRESS = 20


def quoted(inside: Inside) -> bool:
    """Whether a piece stands in a quote."""
    return any(isinstance(one, Quote) for one in inside)


def items_of(inside: Inside) -> Sequence[Item]:
    """The list items that a piece stands in, the outermost first."""
    return [one for one in inside if isinstance(one, Item)][-DEEPEST:]


def lead(inside: Inside) -> tuple[str, str]:
    """What stands before the first line of a piece, and before all others: marks and indentation of its lists."""
    items = items_of(inside)
    if not items:
        return "", ""
    marks = [f"{_mark(item, depth)} " if item.first else INDENT for depth, item in enumerate(items)]
    return "".join(marks), INDENT * len(items)


def _mark(item: Item, depth: int) -> str:
    mark = f"{item.number}." if item.number is not None else BULLETS[min(depth, len(BULLETS) - 1)]
    if item.done is not None:
        mark = BOXES[item.done] if item.number is None else f"{mark} {BOXES[item.done]}"
    return mark


def edges(text: str) -> tuple[str, str, str]:
    """White space before, the words, white space after: marks count only right at words."""
    begun = text.lstrip()
    words = begun.rstrip()
    return text[: len(text) - len(begun)], words, begun[len(words) :]


def shown_address(run: Run) -> str:
    """The address of a link that leads nowhere, to be read only; empty where the words are the address."""
    if not run.shy or not run.link or run.link == run.text:
        return ""
    return run.link if len(run.link) <= LONGEST_ADDRESS else f"{run.link[: LONGEST_ADDRESS - 1]}…"


def between(above: Piece, below: Piece) -> str:
    """What stands between two pieces."""
    return "\n" if below.tight or (above.tight and _same_list(above.inside, below.inside)) else "\n\n"


def _same_list(above: Inside, below: Inside) -> bool:
    return bool(items_of(above)) and bool(items_of(below))


def width(text: str) -> int:
    """How many columns a text takes where all characters are equally wide."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def draw_columns(sheet: Sheet, table: Table) -> None:
    """The table in columns, for a place where all characters are equally wide; a line under its header."""
    rows = [[_flat(cell) for cell in row] for row in table.rows]
    widths = [max(map(width, column)) for column in zip_longest(*rows, fillvalue="")]
    for index, row in enumerate(rows):
        if index:
            sheet.adds("\n")
        _draw_row(sheet, row, widths, table.right, again=table.again and index == 0)
        if index == 0:
            sheet.adds("\n" + GUTTER.join("-" * size for size in widths))


def _draw_row(sheet: Sheet, row: Sequence[str], widths: Sequence[int], right: Sequence[bool], *, again: bool) -> None:
    for column, (cell, size, aligned) in enumerate(zip(row, widths, right, strict=False)):
        pad = " " * (size - width(cell))
        sheet.adds(pad if aligned else "")
        if again:
            sheet.adds(cell)
        else:
            sheet.says(cell)
        if column < len(row) - 1:
            sheet.adds(GUTTER if aligned else pad + GUTTER)


def _flat(cell: Runs) -> str:
    return text_of(cell).replace("\n", " ")
