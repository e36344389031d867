"""From a reply to the mail that it becomes, without its addresses. Pure."""

from collections.abc import Sequence
from typing import TypedDict

from channels.email.headers import one_line
from channels.markup.email import parts
from core.domain.message import Choice, OutgoingFile, Reply, Text

MOST_FILES = 20
MOST_FILE_BYTES = 18_000_000


class PartFile(TypedDict):
    """A file of the workspace, named by its path there."""

    path: str
    name: str
    caption: str


class EmailPart(TypedDict):
    """One mail. `html` is empty where there is no other form than the text; `asks` says that it has choices."""

    text: str
    html: str
    files: list[PartFile]
    asks: bool


def render(reply: Reply) -> list[EmailPart]:
    """A mail for all words, as text and as HTML; more mails where there are more files than one can carry."""
    fragments = [*reply.fragments, *([Text(text=_numbered(reply.choices))] if reply.choices else [])]
    (drawn,) = parts(fragments)
    files = [_file(file) for file in reply.files]
    text, html = str(drawn.payload["text"]).strip("\n"), str(drawn.payload["html"])
    mails = [_part(text, html if text else "", files[:MOST_FILES], asks=bool(reply.choices))]
    for start in range(MOST_FILES, len(files), MOST_FILES):
        mails.append(_part("", "", files[start : start + MOST_FILES], asks=False))
    return mails


def _part(text: str, html: str, files: list[PartFile], *, asks: bool) -> EmailPart:
    return EmailPart(text=text, html=html, files=files, asks=asks)


def _numbered(choices: Sequence[Choice]) -> str:
    """The choices as lines: an answer names one by its number or its words."""
    lines = "".join(f"\n{number}. {one_line(one.label)}" for number, one in enumerate(choices, 1))
    return f"\n{lines}\n" if lines else ""


def _file(file: OutgoingFile) -> PartFile:
    return PartFile(path=one_line(file.path), name=one_line(file.name), caption=one_line(file.caption))
