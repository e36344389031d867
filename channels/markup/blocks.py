"""From the parser's flat row of tokens to pieces that know what they are inside of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from channels.markup.inline import runs_of
from channels.markup.tree import Code, Inside, Item, Piece, Quote, Rule, Run, Runs, Table, Words

_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")


def pieces_of(tokens: Sequence[Token]) -> Iterator[Piece]:
    """All pieces, in their order. No recursion, however deep they stand."""
    place = _Place()
    table: _Rows | None = None
    for token in tokens:
        match token.type:
            case "table_open":
                table = _Rows()
            case "table_close" if table is not None:
                yield Table(rows=table.rows, right=tuple(table.right), inside=place.taken())
                table = None
            case _ if table is not None:
                table.take(token)
            case _:
                yield from place.take(token)


@dataclass(slots=True, eq=False)
class _Rows:
    """The rows of a table so far."""

    right: list[bool] = field(default_factory=list)
    _rows: list[list[Runs]] = field(default_factory=list)

    @property
    def rows(self) -> tuple[tuple[Runs, ...], ...]:
        return tuple(tuple(row) for row in self._rows)

    def take(self, token: Token) -> None:
        match token.type:
            case "tr_open":
                self._rows.append([])
            case "th_open":
                self.right.append("right" in str(token.attrs.get("style", "")))
            case "inline":
                self._rows[-1].append(runs_of(token.children or []))


class _Place:
    """What the next piece is inside of, and what kind of paragraph it is."""

    def __init__(self) -> None:
        self._inside: list[Quote | Item] = []
        self._numbers: list[int | None] = []
        self._level = 0
        self._tight = False

    def take(self, token: Token) -> Iterator[Piece]:
        """The pieces that a token completes: one at most."""
        match token.type.rpartition("_"):
            case _, _, "open":
                self._open(token)
            case _, _, "close":
                yield from self._close(token)
            case _:
                yield from self._leaf(token)

    def taken(self) -> Inside:
        """What the next piece is inside of; whatever comes after it in the same items is not their first."""
        where = tuple(self._inside)
        self._inside = [replace(one, first=False) if isinstance(one, Item) else one for one in where]
        return where

    def _open(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                self._numbers.append(int(token.attrs.get("start", 1)))
            case "blockquote_open":
                self._inside.append(Quote())
            case "list_item_open":
                number = self._numbers[-1]
                self._inside.append(Item(number=number))
                self._numbers[-1] = None if number is None else number + 1
            case "heading_open":
                self._level = int(token.tag[1:])
            case "paragraph_open":
                self._level, self._tight = 0, token.hidden

    def _close(self, token: Token) -> Iterator[Piece]:
        match token.type:
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "blockquote_close":
                self._inside.pop()
            case "list_item_close":
                item = self._inside[-1]
                if isinstance(item, Item) and item.first:
                    # An item with nothing in it still has its mark.
                    yield Words(runs=(), inside=self.taken(), tight=True)
                self._inside.pop()

    def _leaf(self, token: Token) -> Iterator[Piece]:
        match token.type:
            case "inline":
                yield self._words(runs_of(token.children or []))
            case "fence" | "code_block":
                language, *_ = [*token.info.split(), ""]
                yield Code(text=token.content.removesuffix("\n"), language=language, inside=self.taken())
            case "html_block":
                yield Words(runs=(Run(text=token.content.removesuffix("\n")),), inside=self.taken())
            case "hr":
                yield Rule(inside=self.taken())

    def _words(self, runs: Runs) -> Words:
        *outer, last = self.taken() or (Quote(),)
        tight = self._tight and not self._level
        if not isinstance(last, Item):
            inside = (*outer, last) if self._inside else ()
            return Words(runs=runs, inside=inside, level=self._level, tight=tight)
        done, runs = _task(runs)
        inside = (*outer, replace(last, done=done))
        return Words(runs=runs, inside=inside, level=self._level, tight=tight)


def _task(runs: Runs) -> tuple[bool | None, Runs]:
    """Whether the item is a task that is done; its words without the box."""
    found = _TASK.match(runs[0].text) if runs and not runs[0].style else None
    if found is None:
        return None, runs
    return found[1] != " ", (Run(text=runs[0].text[found.end() :], link=runs[0].link), *runs[1:])
