"""A reply as one document: what every platform's form is drawn from.

A document is a flat row of pieces. What stands inside quotes and lists says so by its `inside`, so that a piece can be
drawn, measured and cut without its neighbours, and nesting costs no recursion.
"""

from dataclasses import dataclass
from enum import Flag, auto

from core.domain.chat import Principal


class Style(Flag):
    """How words look."""

    PLAIN = 0
    BOLD = auto()
    ITALIC = auto()
    STRIKE = auto()
    CODE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Words of one look. `link` is where they lead; `mention` is the person whom they name, from our own data only.

    A `shy` link is shown and leads nowhere: the address of an image, or one that pretends to be another.
    """

    text: str
    style: Style = Style.PLAIN
    link: str | None = None
    shy: bool = False
    mention: Principal | None = None


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A block quote that a piece stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A list item that a piece stands in: the one of this `number`, or a bullet; `first` is the item's first piece.

    `done` tells of a task whether it is.
    """

    number: int | None = None
    first: bool = True
    done: bool | None = None


Inside = tuple[Quote | Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A paragraph, or a heading of some level. `tight` ones follow what is above them without an empty line."""

    runs: Runs
    inside: Inside = ()
    level: int = 0
    tight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A block of code; its text ends without a newline."""

    text: str
    language: str = ""
    inside: Inside = ()
    tight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, the first of them the header. `right` says of each column whether it is aligned to the right.

    `again`: the table goes on here, and its header stands there once more.
    """

    rows: tuple[tuple[Runs, ...], ...]
    right: tuple[bool, ...]
    inside: Inside = ()
    tight: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A line across."""

    inside: Inside = ()
    tight: bool = False


Piece = Words | Code | Table | Rule
Document = tuple[Piece, ...]


def words_of(piece: Piece) -> str:
    """The text content of a piece: what has to be there in every form of it, in this order."""
    match piece:
        case Words(runs=runs):
            return text_of(runs)
        case Code(text=text):
            return text
        case Table(rows=rows, again=again):
            return "".join(text_of(cell) for row in rows[again:] for cell in row)
        case Rule():
            return ""


def text_of(runs: Runs) -> str:
    """Words without their looks."""
    return "".join(run.text for run in runs)
