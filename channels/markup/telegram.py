"""Telegram's HTML. Lengths count what is left after parsing, in UTF-16 units; the Bot API's own numbers."""

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

from channels.markup.drawing import between, draw_columns, lead, quoted, shown_address
from channels.markup.parse import document
from channels.markup.sheet import Part, Sheet
from channels.markup.split import packed
from channels.markup.tree import Code, Document, Piece, Rule, Run, Runs, Style, Table, Words
from core.domain.message import Fragment

TEXT = 4_096
CAPTION = 1_024
RULE = "⸻"
_TAGS = ((Style.BOLD, "b"), (Style.ITALIC, "i"), (Style.STRIKE, "s"))


def parts(fragments: Sequence[Fragment], limit: int = TEXT, *, last: int = 0) -> Sequence[Part]:
    """The messages of a reply, at least one; `last` UTF-16 units stay free in the last of them."""
    return [_part(pieces) for pieces in packed(document(fragments), measure, limit, last=last)]


def measure(piece: Piece) -> int:
    """UTF-16 units of the piece alone."""
    sheet = Sheet()
    _draw_piece(sheet, piece)
    return units(sheet.visible)


def units(text: str) -> int:
    """UTF-16 units."""
    return len(text) + sum(c > "\uffff" for c in text) if not text.isascii() else len(text)


def _part(pieces: Document) -> Part:
    sheet = Sheet()
    open_quote = False
    for index, piece in enumerate(pieces):
        inside = quoted(piece.inside)
        if open_quote and not inside:
            sheet.marks("</blockquote>")
        if index:
            sheet.adds(between(pieces[index - 1], piece))
        if inside and not open_quote:
            sheet.marks("<blockquote>")
        open_quote = inside
        _draw_piece(sheet, piece)
    if open_quote:
        sheet.marks("</blockquote>")
    payload: Mapping[str, object] = {"text": sheet.raw, "parse_mode": "HTML"}
    return sheet.part(payload)


def _draw_piece(sheet: Sheet, piece: Piece) -> None:
    begins, goes_on = lead(piece.inside)
    sheet.adds(begins)
    match piece:
        case Words(runs=runs, level=level):
            _draw_runs(sheet, runs, goes_on, Style.BOLD if level else Style.PLAIN)
        case Code(text=text, language=language):
            _draw_code(sheet, text, language)
        case Table():
            sheet.marks("<pre>")
            inner = Sheet()
            draw_columns(inner, piece)
            _pour(sheet, inner)
            sheet.marks("</pre>")
        case Rule():
            sheet.adds(RULE)


def _draw_code(sheet: Sheet, text: str, language: str) -> None:
    if not text.strip():
        sheet.says(text, escape(text, quote=False))
        return
    named = f'<code class="language-{escape(language)}">' if language else ""
    sheet.marks(f"<pre>{named}")
    sheet.says(text, escape(text, quote=False))
    sheet.marks("</code></pre>" if language else "</pre>")


def _pour(sheet: Sheet, inner: Sheet) -> None:
    """What was drawn elsewhere, with what Telegram would read as a tag made harmless."""
    part = inner.part({})
    at = 0
    for start, end in part.added:
        sheet.says(part.visible[at:start], escape(part.visible[at:start], quote=False))
        sheet.adds(part.visible[start:end], escape(part.visible[start:end], quote=False))
        at = end
    sheet.says(part.visible[at:], escape(part.visible[at:], quote=False))


def _draw_runs(sheet: Sheet, runs: Runs, goes_on: str, style: Style) -> None:
    for run in runs:
        lines = run.text.split("\n") if goes_on else [run.text]
        for index, line in enumerate(lines):
            if index:
                sheet.says("\n")
                sheet.adds(goes_on)
            _draw_run(sheet, run, line, style)
        if address := shown_address(run):
            sheet.adds(" (")
            sheet.marks("<code>")
            sheet.adds(address, escape(address, quote=False))
            sheet.marks("</code>")
            sheet.adds(")")


def _draw_run(sheet: Sheet, run: Run, text: str, style: Style) -> None:
    raw = escape(text, quote=False)
    if not text.strip():
        sheet.says(text, raw)
        return
    opened, closed = _tags(run, run.style | style)
    sheet.marks(opened)
    sheet.says(text, raw)
    sheet.marks(closed)


def _tags(run: Run, style: Style) -> tuple[str, str]:
    """What opens and closes a run; code takes nothing else with it."""
    if Style.CODE in style or (run.shy and run.link == run.text):
        return "<code>", "</code>"
    opened, closed = _tags_of(style)
    if target := _target(run):
        return f'{opened}<a href="{escape(target)}">', f"</a>{closed}"
    return opened, closed


@cache
def _tags_of(style: Style) -> tuple[str, str]:
    names = [name for flag, name in _TAGS if flag in style]
    return "".join(f"<{name}>" for name in names), "".join(f"</{name}>" for name in reversed(names))


def _target(run: Run) -> str:
    """Where a run leads; nowhere: empty."""
    if run.mention is not None:
        return f"tg://user?id={run.mention.user_id}" if run.mention.user_id.isdigit() else ""
    return "" if run.shy else run.link or ""
