"""Slack: a text for notifications and old clients, and Block Kit blocks for all others.

Limits from the platform's reference: 3,000 characters of text in a section, 50 blocks in a message, and a text that is
best kept below 4,000 characters.
"""

from collections.abc import Iterator, Mapping, Sequence

from channels.markup import mrkdwn
from channels.markup.drawing import between, items_of, lead, quoted, shown_address
from channels.markup.parse import document
from channels.markup.sheet import Part, Sheet
from channels.markup.split import GAP, packed
from channels.markup.tree import Code, Document, Piece, Run, Style, Words
from core.domain.message import Fragment

SECTION = 3_000
# A message is one section where mrkdwn can express all of it.
TEXT = SECTION - 100
MOST_BLOCKS = 50
_STYLES = ((Style.BOLD, "bold"), (Style.ITALIC, "italic"), (Style.STRIKE, "strike"), (Style.CODE, "code"))

Json = Mapping[str, object]


def parts(fragments: Sequence[Fragment], limit: int = TEXT, *, last: int = 0) -> Sequence[Part]:
    """The messages of a reply, at least one; `last` characters stay free in the text of the last of them.

    None has more than half of the blocks that it may have, so that buttons and files find a place.
    """
    found = packed(document(fragments), measure, min(limit or TEXT, TEXT), last=last)
    return [_part(fewer) for pieces in found for fewer in _few(pieces)]


def _few(pieces: Document) -> Iterator[Document]:
    """Halves of it, until none has too many blocks: pieces share blocks, so that most documents stay whole."""
    if len(pieces) <= MOST_BLOCKS // 2 or len(list(_blocks(pieces))) <= MOST_BLOCKS // 2:
        yield pieces
        return
    middle = len(pieces) // 2
    yield from _few(pieces[:middle])
    yield from _few(pieces[middle:])


def measure(piece: Piece) -> int:
    """Characters of the piece alone as mrkdwn, marks and escapes included."""
    sheet = Sheet()
    mrkdwn.draw(sheet, piece)
    return len(sheet.raw)


def _part(pieces: Document) -> Part:
    sheet = Sheet()
    for index, piece in enumerate(pieces):
        if index:
            sheet.adds(between(pieces[index - 1], piece))
        mrkdwn.draw(sheet, piece)
    whole = len(sheet.raw) <= SECTION and all(map(mrkdwn.expressible, pieces))
    payload: Json = {"text": sheet.raw, "blocks": list(_section(sheet.raw) if whole else _blocks(pieces))}
    return sheet.part(payload)


def _blocks(pieces: Document) -> Iterator[Json]:
    """Sections of mrkdwn, and rich text where mrkdwn cannot express it."""
    waiting: list[Piece] = []
    size = 0
    for piece in pieces:
        if not mrkdwn.expressible(piece):
            yield from _sections(waiting)
            waiting, size = [], 0
            yield _rich(piece)
            continue
        size += measure(piece) + GAP
        if size > SECTION and waiting:
            yield from _sections(waiting)
            waiting, size = [], measure(piece) + GAP
        waiting.append(piece)
    yield from _sections(waiting)


def _sections(pieces: Sequence[Piece]) -> Iterator[Json]:
    yield from _section(_section_text(pieces))


def _section(text: str) -> Iterator[Json]:
    if text.strip():
        yield {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _section_text(pieces: Sequence[Piece]) -> str:
    sheet = Sheet()
    for index, piece in enumerate(pieces):
        if index:
            sheet.adds(between(pieces[index - 1], piece))
        mrkdwn.draw(sheet, piece)
    return sheet.raw


def _rich(piece: Piece) -> Json:
    return {"type": "rich_text", "elements": [_rich_element(piece)]}


def _rich_element(piece: Piece) -> Json:
    if not isinstance(piece, Words):
        text = piece.text if isinstance(piece, Code) else _visible(piece)
        return {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": text or " "}]}
    begins, goes_on = lead(piece.inside)
    elements: list[Json] = [{"type": "text", "text": begins}] if begins else []
    for run in piece.runs:
        elements.extend(_rich_runs(run, goes_on, bold=bool(piece.level)))
    kind = "rich_text_quote" if quoted(piece.inside) and not items_of(piece.inside) else "rich_text_section"
    return {"type": kind, "elements": elements}


def _rich_runs(run: Run, goes_on: str, *, bold: bool) -> Iterator[Json]:
    text = run.text.replace("\n", f"\n{goes_on}")
    style = {name: True for flag, name in _STYLES if flag in run.style} | ({"bold": True} if bold else {})
    styled: Json = {"style": style} if style else {}
    if run.mention is not None:
        yield {"type": "user", "user_id": run.mention.user_id, **styled}
    elif run.link and not run.shy:
        yield {"type": "link", "url": run.link, "text": text, **styled}
    elif text:
        yield {"type": "text", "text": text, **styled}
    if address := shown_address(run):
        yield {"type": "text", "text": f" ({address})", "style": {"code": True}}


def _visible(piece: Piece) -> str:
    sheet = Sheet()
    mrkdwn.draw(sheet, piece)
    return sheet.visible
