"""A mail in both its forms: clean plain text, and HTML of the few tags and properties that every reader knows."""

from collections.abc import Mapping, Sequence
from html import escape

from channels.markup import plain
from channels.markup.drawing import BOXES, shown_address
from channels.markup.parse import document
from channels.markup.sheet import Part
from channels.markup.split import packed
from channels.markup.tree import (
    Code,
    Document,
    Inside,
    Item,
    Piece,
    Quote,
    Rule,
    Run,
    Runs,
    Style,
    Table,
    Words,
)
from core.domain.message import Fragment

# RFC 5322 allows 998 bytes a line; characters take up to four bytes, and tags stand between them.
LONGEST_LINE = 200
TAGS = frozenset(
    ("html", "body", "p", "br", "b", "i", "s", "code", "pre", "a", "ul", "ol", "li", "blockquote", "hr", "table")
) | frozenset(("tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6"))
MONO = "font-family:monospace"
QUOTED = "margin:0 0 0 0.8ex;border-left:1px solid #ccc;padding-left:1ex"
CELL = "border:1px solid #ccc;padding:4px 8px"
_TAGS = ((Style.BOLD, "b"), (Style.ITALIC, "i"), (Style.STRIKE, "s"))


def parts(fragments: Sequence[Fragment], limit: int = 0, *, last: int = 0) -> Sequence[Part]:
    """The mails of a reply, one unless there is a limit."""
    return [_part(pieces) for pieces in packed(document(fragments), plain.measure, limit, last=last)]


def _part(pieces: Document) -> Part:
    sheet = plain.drawn(pieces)
    payload: Mapping[str, object] = {"text": sheet.visible, "html": html(pieces)}
    return sheet.part(payload)


def html(pieces: Document) -> str:
    """The document as HTML, in lines that no server has to break."""
    lines: list[str] = ["<html><body>"]
    inside: Inside = ()
    for piece in pieces:
        lines.extend(_moved(inside, piece.inside))
        inside = piece.inside
        lines.append(_drawn(piece))
    lines.extend(_moved(inside, ()))
    lines.append("</body></html>")
    return "\n".join(line for long in lines for line in _short(long)) + "\n"


def _moved(was: Inside, now: Inside) -> list[str]:
    """Out of what ends here, into what begins."""
    shared = 0
    while shared < min(len(was), len(now)) and _same(was[shared], now[shared]):
        shared += 1
    lines = [_closed(one) for one in reversed(was[shared:])]
    sibling = shared < len(was) and shared < len(now) and _siblings(was[shared], now[shared])
    if sibling:
        lines[-1] = "</li>"
        lines.append(_begins(now[shared], new_list=False))
        shared += 1
    return lines + [_begins(one, new_list=True) for one in now[shared:]]


def _same(was: Quote | Item, now: Quote | Item) -> bool:
    """Whether it is the same quote or the same item, gone on with."""
    if isinstance(now, Quote):
        return isinstance(was, Quote)
    return isinstance(was, Item) and not now.first


def _siblings(was: Quote | Item, now: Quote | Item) -> bool:
    return isinstance(was, Item) and isinstance(now, Item) and (was.number is None) == (now.number is None)


def _begins(one: Quote | Item, *, new_list: bool) -> str:
    if isinstance(one, Quote):
        return f'<blockquote style="{QUOTED}">'
    opened = "" if not new_list else "<ul>" if one.number is None else f'<ol start="{one.number}">'
    box = f"{BOXES[one.done]} " if one.done is not None else ""
    return f"{opened}<li>{box}"


def _closed(one: Quote | Item) -> str:
    return "</blockquote>" if isinstance(one, Quote) else "</li></ul>" if one.number is None else "</li></ol>"


def _drawn(piece: Piece) -> str:
    match piece:
        case Words(runs=runs, level=level):
            tag = f"h{min(level, 6)}" if level else "p"
            return f"<{tag}>{_runs(runs)}</{tag}>"
        case Code(text=text):
            return f'<pre style="{MONO}">{_words(text)}</pre>'
        case Table(rows=rows, right=right):
            return _table(rows, right)
        case Rule():
            return "<hr>"


def _table(rows: tuple[tuple[Runs, ...], ...], right: tuple[bool, ...]) -> str:
    lines = []
    for index, row in enumerate(rows):
        tag = "td" if index else "th"
        cells = []
        for column, cell in enumerate(row):
            side = ";text-align:right" if column < len(right) and right[column] else ";text-align:left"
            cells.append(f'<{tag} style="{CELL}{side}">{_runs(cell)}</{tag}>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return '<table style="border-collapse:collapse">' + "".join(lines) + "</table>"


def _runs(runs: Runs) -> str:
    return "".join(_run(run) for run in runs)


def _run(run: Run) -> str:
    words = _words(run.text).replace("\n", "<br>")
    if Style.CODE in run.style or (run.shy and run.link == run.text):
        words = f'<code style="{MONO}">{words}</code>'
    for flag, tag in _TAGS:
        if flag in run.style:
            words = f"<{tag}>{words}</{tag}>"
    if run.link and not run.shy:
        return f'<a href="{escape(run.link)}">{words}</a>'
    address = shown_address(run)
    return f"{words} (<code>{escape(address)}</code>)" if address else words


def _words(text: str) -> str:
    return escape(text, quote=False)


def _short(line: str) -> list[str]:
    """A long line in several, broken where a space stands outside of tags, or inside of a tag before an attribute."""
    if "<pre" in line:
        return line.split("\n")
    found = []
    while len(line) > LONGEST_LINE and (at := line.rfind(" ", 1, LONGEST_LINE)) > 0:
        found.append(line[:at])
        line = line[at + 1 :]
    return [*found, line]
