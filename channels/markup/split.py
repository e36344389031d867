"""Cutting a document into messages: between pieces, else after sentences, else after words, else between characters.

Works on the document only: whatever is cut is drawn anew, so no form of it is ever cut open.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from channels.markup.graphemes import best_cut
from channels.markup.tree import Code, Document, Inside, Item, Piece, Rule, Run, Runs, Table, Words, text_of

Measure = Callable[[Piece], int]
# Between two pieces stands an empty line at most.
GAP = 2
# A piece that does not fit into what is left of a message begins there all the same where so much of it is left.
WORTH_BEGINNING = 0.5


def packed(document: Document, measure: Measure, limit: int, *, last: int = 0) -> Sequence[Document]:
    """The messages, each as its pieces; at least one. `limit` 0 means none. `last` is kept free in the last message."""
    if not limit:
        return [document]
    packing = _Packing(measure, limit)
    waiting = [_fitting(piece, limit // 3) for piece in reversed(document)]
    while waiting:
        waiting.extend(reversed(packing.take(waiting.pop())))
    *full, end = (tuple(message) for message in packing.messages)
    return [*full, *packed(end, measure, limit - last)] if packing.room < last else [*full, end]


class _Packing:
    """Messages that fill up."""

    def __init__(self, measure: Measure, limit: int) -> None:
        self.messages: list[list[Piece]] = [[]]
        self.room = limit
        self._measure = measure
        self._limit = limit

    def take(self, piece: Piece) -> Sequence[Piece]:
        """Put in what fits; gives what is left of it, to be taken next."""
        gap = GAP if self.messages[-1] else 0
        # Each character costs one at least: what is longer than a message is not drawn to learn that it is.
        size = self._limit + 1 if len_of(piece) > self._limit else self._measure(piece)
        if size + gap <= self.room:
            self._put(piece, size + gap)
            return ()
        if gap and (size <= self._limit or self.room < self._limit * WORTH_BEGINNING):
            self._turn_over()
            return (piece,)
        return self._begin(piece, self.room - gap)

    def _begin(self, piece: Piece, space: int) -> Sequence[Piece]:
        head, *tail = _cut(piece, space, self._measure)
        if type(head) is not type(piece):
            return (head, *tail)
        if self.messages[-1] and self._measure(head) > space:
            self._turn_over()
            return (piece,)
        self._put(head, self._measure(head))
        if tail:
            self._turn_over()
        return tail

    def _put(self, piece: Piece, size: int) -> None:
        self.messages[-1].append(piece)
        self.room -= size

    def _turn_over(self) -> None:
        self.messages.append([])
        self.room = self._limit


def _fitting(piece: Piece, longest: int) -> Piece:
    """The piece without links that would fill a message by themselves: those are words, or their beginning is shown."""
    if not isinstance(piece, Words) or all(len(run.link or "") <= longest for run in piece.runs):
        return piece
    return replace(piece, runs=tuple(_unlinked(run) if len(run.link or "") > longest else run for run in piece.runs))


def _unlinked(run: Run) -> Run:
    return replace(run, link=None) if run.link == run.text else replace(run, shy=True)


def len_of(piece: Piece) -> int:
    """How many characters an author wrote of it."""
    match piece:
        case Words(runs=runs):
            return sum(len(run.text) for run in runs)
        case Code(text=text):
            return len(text)
        case Table(rows=rows):
            return sum(len(run.text) for row in rows for cell in row for run in cell)
        case Rule():
            return 0


def _cut(piece: Piece, room: int, measure: Measure) -> Sequence[Piece]:
    """The piece in two or more, the first of which fits into the room as far as that can be."""
    match piece:
        case Words():
            return _cut_words(piece, room, measure)
        case Code():
            return _cut_code(piece, room, measure)
        case Table():
            return _cut_table(piece, room, measure)
        case Rule():
            return (piece,)


def _most(high: int, size: Callable[[int], int], room: int) -> int:
    """The largest number up to `high` whose size is within the room, if sizes only grow; 0 when none is."""
    low = 0
    while low < high:
        # Sizes grow about evenly: where this one ends tells where to look next.
        reached = size(high)
        if reached <= room:
            return high
        guess = max(low, min(high - 1, high * room // reached))
        low, high = (guess, high - 1) if guess == low or size(guess) <= room else (low, guess - 1)
        middle = (low + high + 1) // 2
        if low < high:
            low, high = (middle, high) if size(middle) <= room else (low, middle - 1)
    return low


def _cut_words(words: Words, room: int, measure: Measure) -> Sequence[Piece]:
    text = text_of(first(words.runs, room + 128))
    most = _most(min(len(text), max(room, 1)), lambda k: measure(replace(words, runs=first(words.runs, k))), room)
    cut = best_cut(text[: most + 64], max(most, 1))
    if cut >= len_of(words):
        return (words,)
    tail = replace(words, runs=without(words.runs, cut), inside=_later(words.inside), tight=False)
    return replace(words, runs=first(words.runs, cut)), tail


def _cut_code(code: Code, room: int, measure: Measure) -> Sequence[Piece]:
    text = code.text
    most = _most(min(len(text), max(room, 1)), lambda k: measure(replace(code, text=text[:k])), room)
    line = text.rfind("\n", 0, most) + 1
    cut = line or best_cut(text[: most + 64], max(most, 1))
    if cut >= len(text):
        return (code,)
    return replace(code, text=text[:cut]), replace(code, text=text[cut:], inside=_later(code.inside), tight=False)


def _cut_table(table: Table, room: int, measure: Measure) -> Sequence[Piece]:
    rows = table.rows
    many = min(len(rows), max(1, room // max(1, len(rows[0]))))
    most = _most(many, lambda k: measure(replace(table, rows=rows[:k])), room)
    if most <= 1:
        return tuple(in_lines(table))
    if most == len(rows):
        return (table,)
    rest = replace(table, rows=(rows[0], *rows[most:]), again=True, inside=_later(table.inside), tight=False)
    return replace(table, rows=rows[:most]), rest


def in_lines(table: Table) -> Iterator[Words]:
    """A table that is too wide: each cell on a line of its own."""
    for row in table.rows[table.again :]:
        for cell in row:
            if cell:
                yield Words(runs=cell, inside=table.inside, tight=True)


def first(runs: Runs, count: int) -> Runs:
    """The runs up to so many code points."""
    kept: list[Run] = []
    for run in runs:
        if count <= 0:
            break
        kept.append(run if len(run.text) <= count else replace(run, text=run.text[:count]))
        count -= len(run.text)
    return tuple(kept)


def without(runs: Runs, count: int) -> Runs:
    """The runs from so many code points on."""
    for index, run in enumerate(runs):
        if len(run.text) > count:
            return (replace(run, text=run.text[count:]), *runs[index + 1 :])
        count -= len(run.text)
    return ()


def _later(inside: Inside) -> Inside:
    """What goes on in a list item is not its beginning."""
    return tuple(replace(one, first=False) if isinstance(one, Item) else one for one in inside)
