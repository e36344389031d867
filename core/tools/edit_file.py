"""edit_file: one piece of text in a file of the workspace, replaced by another."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Approval, Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import shown
from core.tools.text import cut
from core.tools.workspace import workspace_of
from core.tools.write_file import encoded

EDIT_LIMIT = 5_000_000  # bytes
MOST_DIFF_LINES = 80
LONGEST_DIFF_LINE = 300
MARGIN = 2
MOST_NAMED = 10


class EditFileArguments(Arguments):
    """What to find and what to put there."""

    path: str = Field(description="file, relative to the workspace")
    old_text: str = Field(
        min_length=1, description="the text to replace, exactly as it stands in the file, without line numbers"
    )
    new_text: str = Field(description="what stands there afterwards; empty to delete")
    replace_all: bool = Field(default=False, description="replace every occurrence; otherwise there must be just one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A changed file and the change as a short diff."""

    content: bytes
    count: int
    diff: str


def edited(arguments: EditFileArguments, content: bytes) -> Edited:
    """The edit, or a ToolError that says what to change in the call. A file with CRLF line ends keeps them."""
    name = shown(arguments.path)
    try:
        text = content.decode()
    except UnicodeDecodeError as exc:
        raise ToolError(f"{name}: it is not UTF-8 text and cannot be edited. Use another file.") from exc
    old, new = _with_ends_of(text, arguments.old_text), _with_ends_of(text, arguments.new_text)
    if old == new:
        raise ToolError("new_text: it is the same as old_text. Give the text that shall stand there instead.")
    places = _places(text, old)
    if not places:
        raise ToolError(_not_found(name, text, old))
    if len(places) > 1 and not arguments.replace_all:
        raise ToolError(
            f"old_text: it occurs {len(places)} times in {name}, at lines {_numbers(text, places)}. "
            f"Add lines before or after it until it is unique, or set replace_all to true."
        )
    changed = encoded("new_text", text.replace(old, new))
    return Edited(content=changed, count=len(places), diff=_diff(text, places, old, new))


def _with_ends_of(text: str, given: str) -> str:
    if text.count("\r\n") != text.count("\n") or "\r" in given or "\n" not in text:
        return given
    return given.replace("\n", "\r\n")


def _places(text: str, old: str) -> list[int]:
    places = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + len(old))
    return places


def _numbers(text: str, places: list[int]) -> str:
    named = ", ".join(str(text.count("\n", 0, at) + 1) for at in places[:MOST_NAMED])
    return f"{named} and more" if len(places) > MOST_NAMED else named


def _not_found(name: str, text: str, old: str) -> str:
    if " ".join(old.split()) in " ".join(text.split()):
        return (
            f"old_text: {name} has these words with other spaces or line ends. "
            f"Read the file again and copy the text exactly."
        )
    return (
        f"old_text: it does not occur in {name}. Read the file again and copy the text exactly, without line numbers."
    )


def _diff(text: str, places: list[int], old: str, new: str) -> str:
    # Built from the known places: comparing whole files takes time that grows with the square of their length.
    lines: list[str] = []
    for done, at in enumerate(places):
        if len(lines) >= MOST_DIFF_LINES:
            lines.append(f"(and {len(places) - done} more places)")
            break
        lines.extend(_hunk(text, at, old, new))
    return "\n".join(_bounded(lines))


def _bounded(lines: list[str]) -> Iterator[str]:
    yield from (cut(line.rstrip("\r"), LONGEST_DIFF_LINE) for line in lines[:MOST_DIFF_LINES])
    if len(lines) > MOST_DIFF_LINES:
        yield f"({len(lines) - MOST_DIFF_LINES} more lines of this change)"


def _hunk(text: str, at: int, old: str, new: str) -> Iterator[str]:
    end = at + len(old)
    first = text.rfind("\n", 0, at) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    removed = text[first:last].split("\n")
    added = (text[first:at] + new + text[end:last]).split("\n")
    after = text[last + 1 :].removesuffix("\n").split("\n", MARGIN)[:MARGIN] if last + 1 < len(text) else []
    while removed and added and removed[-1] == added[-1]:
        after.insert(0, removed.pop())
        added.pop()
    yield f"@@ line {text.count(chr(10), 0, at) + 1} @@"
    yield from (f" {line}" for line in text[:first].rsplit("\n", MARGIN + 1)[-MARGIN - 1 : -1])
    yield from (f"-{line}" for line in removed)
    yield from (f"+{line}" for line in added)
    yield from (f" {line}" for line in after[:MARGIN])


async def _perform(arguments: EditFileArguments, context: ToolContext) -> ToolResult:
    outcome: list[Edited] = []

    def change(content: bytes) -> bytes:
        outcome.append(edited(arguments, content))
        return outcome[-1].content

    workspace = workspace_of(context)
    await asyncio.to_thread(workspace.edit, arguments.path, change, EDIT_LIMIT, context.replay_key)
    done = outcome[-1]
    places = "one place" if done.count == 1 else f"{done.count} places"
    return ToolResult(text=f"Edited {shown(arguments.path)} in {places}.\n{done.diff}")


edit_file = define(
    name="edit_file",
    description=(
        "Replace a piece of text in a file of the workspace. old_text must stand in the file exactly once, or "
        "replace_all must be set. The change is shown as a short diff."
    ),
    accepts=EditFileArguments,
    effect=Effect.WRITES,
    replayable=False,
    perform=_perform,
    approval=Approval.MEMBERS,
)
