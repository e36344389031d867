"""From a reply's fragments to a document. Markdown is CommonMark with tables, strikethrough and task lists.

Markdown in which somebody hides work for the parser (thousands of brackets, hundreds of nested quotes) is taken
literally: no word of it is lost, and it costs no more than its length.
"""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt

from channels.markup.blocks import pieces_of
from channels.markup.controls import strip_controls
from channels.markup.tree import Document, Piece, Run, Words
from core.domain.message import Fragment, Markdown, Mention, Text

DEEPEST = 40
# What a paragraph may hold of each before it is no text any more; beyond, the parser's time grows with the square.
MOST_OPENERS = 400
_OPENERS = re.compile(r"[\[\]!*_~`<&]{64}|!?\[")
_BLOCKS = re.compile(r"\n[ \t]*\n")
_NESTED = re.compile(rf"^[ \t]*(?:(?:>|[-+*]|\d{{1,9}}[.)])[ \t]*){{{DEEPEST},}}", re.MULTILINE)
_INDENTED = re.compile(rf"^[ \t]{{{DEEPEST * 2},}}\S", re.MULTILINE)

_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": DEEPEST * 4}).enable(["table", "strikethrough"])


def document(fragments: Sequence[Fragment]) -> Document:
    """All fragments one after the other; each stands for itself, so that none can change what another one means."""
    pieces: list[Piece] = []
    for fragment in fragments:
        found = list(_pieces(fragment))
        if pieces and found and _joins(pieces[-1], found[0]) and not isinstance(fragment, Markdown):
            last, first = pieces[-1], found[0]
            assert isinstance(last, Words)
            assert isinstance(first, Words)
            pieces[-1] = Words(runs=(*last.runs, *first.runs), inside=last.inside, level=last.level, tight=last.tight)
            found = found[1:]
        pieces.extend(found)
    return tuple(pieces)


def literal(text: str) -> Document:
    """Text in which no character is markup."""
    text = strip_controls(text)
    return (Words(runs=(Run(text=text),)),) if text else ()


def _joins(last: Piece, first: Piece) -> bool:
    """A name or a literal word goes on in the paragraph before it."""
    return isinstance(last, Words) and isinstance(first, Words) and not last.level


def _pieces(fragment: Fragment) -> Iterator[Piece]:
    match fragment:
        case Markdown(source=source):
            yield from parsed(source)
        case Text(text=text):
            yield from literal(text)
        case Mention(principal=principal):
            name = strip_controls(principal.name or principal.user_id)
            yield Words(runs=(Run(text=name, mention=principal),))


def parsed(source: str) -> Document:
    """One Markdown text."""
    source = strip_controls(source)
    if _is_hostile(source):
        return literal(source)
    return tuple(pieces_of(_MARKDOWN.parse(source)))


def _is_hostile(source: str) -> bool:
    if _NESTED.search(source) or _INDENTED.search(source):
        return True
    for block in _BLOCKS.split(source):
        if len(block) > MOST_OPENERS and sum(1 for _ in _OPENERS.finditer(block)) > MOST_OPENERS:
            return True
        if len(block) > MOST_OPENERS and max(map(block.count, "*_`~<&")) > 10 * MOST_OPENERS:
            return True
    return False
