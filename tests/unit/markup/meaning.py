"""What a document means, letter by letter: what every referee has to see in what was drawn."""

from collections.abc import Callable, Iterator

from channels.markup.sheet import Part
from channels.markup.tree import Code, Piece, Run, Style, Table, Words

OF_STYLE = {Style.BOLD: "bold", Style.ITALIC: "italic", Style.STRIKE: "strike"}
# Put between marks that would read as one; nothing that a reader sees.
APART = "\u200b"

Seen = tuple[str, frozenset[str]]


def counts(character: str) -> bool:
    """Whether a look can be seen on it."""
    return not character.isspace() and character != APART


def meant(pieces: tuple[Piece, ...], bold: Callable[[Words], bool]) -> Iterator[Seen]:
    """Each character that an author wrote, with the looks that the document gives it; `bold` headings are so."""
    for piece in pieces:
        match piece:
            case Words(runs=runs):
                more = {"bold"} if bold(piece) else set[str]()
                for run in runs:
                    yield from _each(run.text, _looks(run, more))
            case Code(text=text):
                yield from _each(text, {"block"})
            case Table(rows=rows):
                yield from _each("".join(run.text for row in rows for cell in row for run in cell), {"block"})


def _each(text: str, looks: set[str]) -> Iterator[Seen]:
    yield from ((character, frozenset(looks)) for character in text if counts(character))


def _looks(run: Run, more: set[str]) -> set[str]:
    """Code takes no other look with it."""
    if Style.CODE in run.style or (run.shy and run.link == run.text):
        return {"code"}
    looks = more | {name for style, name in OF_STYLE.items() if style in run.style}
    return looks | {"link"} if run.link and not run.shy else looks


def of_the_author(part: Part, shown: list[Seen]) -> Iterator[Seen]:
    """Those of the characters that were not added; what is shown must be what the part says that a reader sees."""
    added = {index for start, end in part.added for index in range(start, end)}
    counted = [index for index, character in enumerate(part.visible) if counts(character)]
    assert [part.visible[index] for index in counted] == [character for character, _ in shown], part.payload
    yield from (one for index, one in zip(counted, shown, strict=True) if index not in added)
