"""Slack's mrkdwn: text with marks that cannot be escaped, so whatever holds such marks itself has to go another way."""

import re
from itertools import pairwise

from channels.markup.drawing import draw_columns, edges, lead, quoted, shown_address
from channels.markup.sheet import Part, Sheet
from channels.markup.tree import Code, Piece, Rule, Run, Runs, Style, Table, Words, text_of

RULE = "───────"
_MARKS = ((Style.BOLD, "*"), (Style.ITALIC, "_"), (Style.STRIKE, "~"))
_READ_AS_MARK = re.compile(r"[*_~`]\S|^\s*(?:>|&gt;)", re.MULTILINE)


def escaped(text: str) -> str:
    """The three characters that Slack reads: nothing in such a text can call anybody or lead anywhere."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def expressible(piece: Piece) -> bool:
    """Whether mrkdwn shows exactly this: marks work at the edges of words only, and cannot be escaped."""
    match piece:
        case Words(runs=runs):
            return not any(_is_odd(run) for run in runs) and all(
                _stand_apart(one, other) for one, other in pairwise(runs)
            )
        case Code(text=text):
            return "```" not in text
        case Table():
            return "```" not in "".join(text_of(cell) for row in piece.rows for cell in row)
        case Rule():
            return True


def _is_odd(run: Run) -> bool:
    if Style.CODE in run.style:
        return "`" in run.text
    marked = run.style and any(mark in run.text for _, mark in _MARKS)
    return bool(marked or (not run.link and _READ_AS_MARK.search(run.text)))


def _stand_apart(one: Run, other: Run) -> bool:
    """Whether marks between these two are read as marks: not inside of a word."""
    if not (one.style or other.style) or one.style == other.style:
        return True
    left, right = one.text[-1:], other.text[:1]
    return not (left.isalnum() and right.isalnum())


def draw(sheet: Sheet, piece: Piece) -> None:
    """One piece."""
    begins, goes_on = lead(piece.inside)
    match piece:
        case Words(runs=runs, level=level):
            if quoted(piece.inside):
                sheet.marks("> ")
            sheet.adds(begins)
            _draw_runs(sheet, runs, goes_on, Style.BOLD if level else Style.PLAIN, quote=quoted(piece.inside))
        case Code(text=text):
            sheet.adds(begins)
            sheet.marks("```\n")
            sheet.says(text, escaped(text))
            sheet.marks("```" if text.endswith("\n") else "\n```")
        case Table():
            sheet.adds(begins)
            inner = Sheet()
            draw_columns(inner, piece)
            sheet.marks("```\n")
            _pour(sheet, inner.part({}))
            sheet.marks("\n```")
        case Rule():
            sheet.adds(RULE)


def _pour(sheet: Sheet, inner: Part) -> None:
    at = 0
    for start, end in (*inner.added, (len(inner.visible), len(inner.visible))):
        sheet.says(inner.visible[at:start], escaped(inner.visible[at:start]))
        sheet.adds(inner.visible[start:end], escaped(inner.visible[start:end]))
        at = end


def _draw_runs(sheet: Sheet, runs: Runs, goes_on: str, style: Style, *, quote: bool) -> None:
    for run in runs:
        for index, line in enumerate(run.text.split("\n")):
            if index:
                sheet.says("\n", "\n> " if quote else "\n")
                sheet.adds(goes_on)
            _draw_run(sheet, run, line, run.style | style)
        if address := shown_address(run):
            sheet.adds(" (")
            sheet.marks("`")
            sheet.adds(address, escaped(address.replace("`", "'")))
            sheet.marks("`")
            sheet.adds(")")


def _draw_run(sheet: Sheet, run: Run, text: str, style: Style) -> None:
    before, words, after = edges(text)
    sheet.says(before)
    if words:
        if Style.CODE in style or (run.shy and run.link == run.text):
            marks = "`"
        else:
            marks = "".join(mark for flag, mark in _MARKS if flag in style)
        sheet.marks(marks)
        sheet.says(words, _linked(run, words))
        sheet.marks(marks[::-1])
    sheet.says(after)


def _linked(run: Run, words: str) -> str:
    if run.mention is not None:
        return f"<@{run.mention.user_id}>" if re.fullmatch(r"[UW][A-Z0-9]+", run.mention.user_id) else escaped(words)
    if run.link and not run.shy and Style.CODE not in run.style:
        # A bar ends the address there.
        if run.link == words:
            return f"<{escaped(run.link.replace('|', '%7C'))}>"
        return f"<{escaped(run.link.replace('|', '%7C'))}|{escaped(words)}>"
    return escaped(words)
