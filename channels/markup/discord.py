"""Discord's Markdown. Lengths count the characters that are sent, marks included: 2,000 by the platform's reference."""

import re
from collections.abc import Mapping, Sequence

from channels.markup.drawing import between, draw_columns, edges, lead, quoted, shown_address
from channels.markup.parse import document
from channels.markup.sheet import Part, Sheet
from channels.markup.split import packed
from channels.markup.tree import Code, Document, Piece, Rule, Run, Runs, Style, Table, Words
from core.domain.message import Fragment

TEXT = 2_000
RULE = "───────"
LARGEST_HEADING = 3
# Between two marks that would read as one.
APART = "\u200b"
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\*_~`|<>[]"})
# A backslash in front of a digit would be seen: there it stands in front of the dot.
_AT_START = re.compile(r"(?m)^(\s*)(?:([#+-])|(\d+)(?=\.))")
_CALLS_ALL = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_MARKS = ((Style.BOLD, "**"), (Style.ITALIC, "*"), (Style.STRIKE, "~~"))


def parts(fragments: Sequence[Fragment], limit: int = TEXT, *, last: int = 0) -> Sequence[Part]:
    """The messages of a reply, at least one; `last` characters stay free in the last of them."""
    return [_part(pieces) for pieces in packed(document(fragments), measure, limit, last=last)]


def measure(piece: Piece) -> int:
    """Characters of the piece alone, as they are sent."""
    sheet = Sheet()
    _draw_piece(sheet, piece)
    return len(sheet.raw)


def _part(pieces: Document) -> Part:
    sheet = Sheet()
    for index, piece in enumerate(pieces):
        if index:
            sheet.adds(between(pieces[index - 1], piece))
        _draw_piece(sheet, piece)
    payload: Mapping[str, object] = {"content": sheet.raw}
    return sheet.part(payload)


def _draw_piece(sheet: Sheet, piece: Piece) -> None:
    begins, goes_on = lead(piece.inside)
    match piece:
        case Words(runs=runs, level=level):
            if quoted(piece.inside):
                sheet.marks("> ")
                goes_on = f"\n> {goes_on}"
            sheet.adds(begins)
            if level and not begins and not quoted(piece.inside):
                sheet.marks("#" * min(level, LARGEST_HEADING) + " ")
                level = 0
            _draw_runs(sheet, runs, goes_on, Style.BOLD if level else Style.PLAIN)
        case Code(text=text, language=language):
            sheet.adds(begins)
            _draw_code(sheet, text, language)
        case Table():
            sheet.adds(begins)
            inner = Sheet()
            draw_columns(inner, piece)
            _fenced(sheet, inner.part({}), "")
        case Rule():
            sheet.adds(begins + RULE)


def _draw_code(sheet: Sheet, text: str, language: str) -> None:
    inner = Sheet()
    inner.says(text)
    _fenced(sheet, inner.part({}), language if re.fullmatch(r"[\w+#.-]{1,30}", language) else "")


def _fenced(sheet: Sheet, inner: Part, language: str) -> None:
    """A block of code. A fence inside of it would end it: those get something between their ticks."""
    sheet.marks(f"```{language}\n")
    at = 0
    for start, end in (*inner.added, (len(inner.visible), len(inner.visible))):
        _without_fences(sheet, inner.visible[at:start])
        sheet.adds(inner.visible[start:end])
        at = end
    sheet.marks("```" if inner.visible.endswith("\n") else "\n```")


def _without_fences(sheet: Sheet, text: str) -> None:
    for index, piece in enumerate(text.split("```")):
        if index:
            sheet.says("``")
            sheet.adds(APART)
            sheet.says("`")
        sheet.says(piece)


def _draw_runs(sheet: Sheet, runs: Runs, goes_on: str, style: Style) -> None:
    styled = False
    for run in runs:
        if styled and (run.style | style) and not run.text[:1].isspace():
            sheet.adds(APART)
        styled = bool(run.style | style) and not run.text[-1:].isspace()
        for index, line in enumerate(run.text.split("\n")):
            if index:
                _draw_break(sheet, goes_on)
            _draw_run(sheet, run, line, style)
        if address := shown_address(run):
            sheet.adds(" (")
            sheet.marks("`")
            sheet.adds(address.replace("`", "'"))
            sheet.marks("`")
            sheet.adds(")")


def _draw_break(sheet: Sheet, goes_on: str) -> None:
    """A new line, again in the quote and below the mark of the list."""
    if goes_on.startswith("\n"):
        sheet.says("\n", "\n> ")
        sheet.adds(goes_on.removeprefix("\n> "))
    else:
        sheet.says("\n")
        sheet.adds(goes_on)


def _draw_run(sheet: Sheet, run: Run, text: str, style: Style) -> None:
    before, words, after = edges(text)
    sheet.says(before)
    if words:
        _draw_styled(sheet, run, words, run.style | style)
    sheet.says(after)


def _draw_styled(sheet: Sheet, run: Run, words: str, style: Style) -> None:
    if Style.CODE in style or (run.shy and run.link == run.text):
        _draw_code_words(sheet, words)
    elif run.mention is not None and run.mention.user_id.isdigit():
        sheet.says(words, f"<@{run.mention.user_id}>")
    else:
        marks = [mark for flag, mark in _MARKS if flag in style]
        sheet.marks("".join(marks))
        _draw_words(sheet, run, words)
        sheet.marks("".join(reversed(marks)))


def _draw_words(sheet: Sheet, run: Run, words: str) -> None:
    if run.link and not run.shy:
        if run.link == words:
            # Between these no preview is made of it.
            sheet.says(words, f"<{words}>")
            return
        sheet.marks("[")
        _escaped(sheet, words)
        sheet.marks(f"](<{run.link}>)")
        return
    _escaped(sheet, words)


def _escaped(sheet: Sheet, words: str) -> None:
    """Words in which nothing is markup, and nobody is called."""
    for index, piece in enumerate(_CALLS_ALL.split(words)):
        if index:
            sheet.says("@")
            sheet.adds(APART)
        raw = piece.translate(_SPECIAL)
        sheet.says(piece, _AT_START.sub(r"\1\3\\\2", raw) if not index else raw)


def _draw_code_words(sheet: Sheet, words: str) -> None:
    """Code within a line, between more ticks than it holds."""
    longest = max((len(found) for found in re.findall(r"`+", words)), default=0)
    ticks = "`" * (longest + 1) if longest < len("``") else ""
    if not ticks:
        # Discord knows two at most.
        sheet.says(words, words.translate(_SPECIAL))
        return
    pad = " " if words.startswith("`") or words.endswith("`") else ""
    sheet.marks(f"{ticks}{pad}")
    sheet.says(words)
    sheet.marks(f"{pad}{ticks}")
