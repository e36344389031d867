"""Plain text: for terminals, and for the plain half of a mail."""

from collections.abc import Mapping, Sequence

from channels.markup.drawing import between, draw_columns, lead, quoted
from channels.markup.parse import document
from channels.markup.sheet import Part, Sheet
from channels.markup.split import packed
from channels.markup.tree import Code, Document, Piece, Rule, Runs, Table, Words
from core.domain.message import Fragment

RULE = "-" * 20
CODE_INDENT = "    "


def parts(fragments: Sequence[Fragment], limit: int = 0, *, last: int = 0) -> Sequence[Part]:
    """The messages of a reply, at least one; `last` characters stay free in the last of them."""
    return [_part(pieces) for pieces in packed(document(fragments), measure, limit, last=last)]


def measure(piece: Piece) -> int:
    """Characters of the piece alone; each of its links may need a footnote."""
    sheet, notes = Sheet(), Footnotes()
    draw_piece(sheet, piece, notes)
    notes.draw(sheet)
    return len(sheet.visible) + len("\n\n")


def _part(pieces: Document) -> Part:
    sheet = drawn(pieces)
    payload: Mapping[str, object] = {"text": sheet.visible}
    return sheet.part(payload)


def drawn(pieces: Document) -> Sheet:
    """All pieces, with the addresses of their links below them."""
    sheet, notes = Sheet(), Footnotes()
    for index, piece in enumerate(pieces):
        if index:
            sheet.adds(between(pieces[index - 1], piece))
        draw_piece(sheet, piece, notes)
    notes.draw(sheet)
    return sheet


class Footnotes:
    """The addresses of one message, each once."""

    def __init__(self) -> None:
        self._addresses: list[str] = []

    def mark(self, address: str) -> str:
        """What stands behind the words that lead there."""
        if address not in self._addresses:
            self._addresses.append(address)
        return f" [{self._addresses.index(address) + 1}]"

    def draw(self, sheet: Sheet) -> None:
        """All of them, at the end."""
        lines = [f"[{number}] {address}" for number, address in enumerate(self._addresses, start=1)]
        if lines:
            sheet.adds("\n\n" + "\n".join(lines))


def draw_piece(sheet: Sheet, piece: Piece, notes: Footnotes) -> None:
    """One piece."""
    begins, goes_on = lead(piece.inside)
    mark = "> " if quoted(piece.inside) else ""
    sheet.adds(mark + begins)
    goes_on = mark + goes_on
    match piece:
        case Words(runs=runs):
            _draw_runs(sheet, runs, goes_on, notes)
        case Code(text=text):
            _draw_lines(sheet, text, CODE_INDENT, goes_on + CODE_INDENT)
        case Table():
            inner = Sheet()
            draw_columns(inner, piece)
            _draw_inner(sheet, inner.part({}), goes_on)
        case Rule():
            sheet.adds(RULE)


def _draw_runs(sheet: Sheet, runs: Runs, goes_on: str, notes: Footnotes) -> None:
    for run in runs:
        _draw_lines(sheet, run.text, "", goes_on)
        if run.link and run.link not in (run.text, f"mailto:{run.text}"):
            sheet.adds(f" ({run.link[:30]})" if run.shy else notes.mark(run.link))


def _draw_lines(sheet: Sheet, text: str, begins: str, goes_on: str) -> None:
    sheet.adds(begins)
    for index, line in enumerate(text.split("\n")):
        if index:
            sheet.says("\n")
            sheet.adds(goes_on)
        sheet.says(line)


def _draw_inner(sheet: Sheet, inner: Part, goes_on: str) -> None:
    at = 0
    for start, end in (*inner.added, (len(inner.visible), len(inner.visible))):
        sheet.says(inner.visible[at:start])
        sheet.adds(inner.visible[start:end].replace("\n", f"\n{goes_on}"))
        at = end
