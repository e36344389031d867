"""From a reply to what a terminal shows; nothing that a terminal would obey passes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict, assert_never

from channels.markup.controls import strip_controls
from core.domain.message import Choice, Fragment, Markdown, Mention, OutgoingFile, Reply, Text


class Piece(TypedDict):
    """Words of one kind: `literal` ones hold no markup."""

    kind: Literal["markdown", "literal"]
    text: str


class ShownFile(TypedDict):
    """A file of the workspace, named by its path there."""

    path: str
    name: str
    caption: str


class ShownChoice(TypedDict):
    """One numbered answer to a question."""

    label: str
    token: str


class TerminalPart(TypedDict):
    """A whole reply: a terminal has no limit to its length."""

    text: list[Piece]
    files: list[ShownFile]
    choices: list[ShownChoice]


def render(reply: Reply) -> list[TerminalPart]:
    """Always one part."""
    return [
        TerminalPart(
            text=_joined([_piece(fragment) for fragment in reply.fragments]),
            files=[_file(file) for file in reply.files],
            choices=[_choice(choice) for choice in reply.choices],
        )
    ]


def words(part: TerminalPart, workspace: Path) -> str:
    """The part as lines of plain text, its Markdown as it was written."""
    text = "".join(piece["text"] for piece in part["text"])
    return "\n".join([text.rstrip("\n"), *extras(part, workspace)])


def extras(part: TerminalPart, workspace: Path) -> list[str]:
    """A line for each file, then one for each choice."""
    files = [_file_line(file, workspace) for file in part["files"]]
    return files + [f"{number}. {choice['label']}" for number, choice in enumerate(part["choices"], start=1)]


def _file_line(file: ShownFile, workspace: Path) -> str:
    caption = f" ({file['caption']})" if file["caption"] else ""
    return f"[file] {file['name']}: {workspace / file['path']}{caption}"


def _piece(fragment: Fragment) -> Piece:
    match fragment:
        case Markdown(source=source):
            return Piece(kind="markdown", text=strip_controls(source))
        case Text(text=text):
            return Piece(kind="literal", text=strip_controls(text))
        case Mention(principal=principal):
            return Piece(kind="literal", text=_one_line(principal.name or principal.user_id))
        case _:
            assert_never(fragment)


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        if joined and joined[-1]["kind"] == piece["kind"]:
            joined[-1] = Piece(kind=piece["kind"], text=joined[-1]["text"] + piece["text"])
        else:
            joined.append(piece)
    return joined


def _file(file: OutgoingFile) -> ShownFile:
    return ShownFile(path=_one_line(file.path), name=_one_line(file.name), caption=_one_line(file.caption))


def _choice(choice: Choice) -> ShownChoice:
    return ShownChoice(label=_one_line(choice.label), token=choice.token)


def _one_line(text: str) -> str:
    return strip_controls(text).replace("\n", " ").replace("\t", " ")
