"""read_file: a text file of the workspace, with line numbers."""

import asyncio

from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import shown
from core.tools.text import decoded, is_binary, lines_of, media_type, window
from core.tools.workspace import workspace_of

MOST_LINES = 500
MOST_CHARACTERS = 20_000


class ReadFileArguments(Arguments):
    """A path and, for long files, a part of it."""

    path: str = Field(description="file, relative to the workspace, such as notes/plan.md")
    start_line: int = Field(default=1, ge=1, description="first line to read, counted from 1")
    end_line: int = Field(default=0, ge=0, description=f"last line to read; 0 or left out: up to {MOST_LINES} lines")


def rendered(arguments: ReadFileArguments, content: bytes) -> str:
    """What the model reads: numbered lines and where to go on. Raises ToolError when the lines are not there."""
    name = shown(arguments.path)
    if is_binary(content):
        return f"{name} is not text: {media_type(arguments.path)}, {len(content):,} bytes. Its content is not shown."
    lines = lines_of(decoded(content))
    if not lines:
        return f"{name} is empty."
    if arguments.start_line > len(lines):
        raise ToolError(f"start_line: {name} has only {len(lines)} lines. Ask for a line from 1 to {len(lines)}.")
    if 0 < arguments.end_line < arguments.start_line:
        raise ToolError("end_line: it is before start_line. Give a number that is not smaller, or leave it out.")
    last = min(arguments.end_line or len(lines), arguments.start_line + MOST_LINES - 1)
    part = window(lines, arguments.start_line, last, MOST_CHARACTERS)
    more = f" Go on with start_line={part.last + 1}." if part.last < part.total else ""
    return f"{name}, lines {part.first} to {part.last} of {part.total}.{more}\n{part.text}"


async def _perform(arguments: ReadFileArguments, context: ToolContext) -> ToolResult:
    content = await asyncio.to_thread(workspace_of(context).read, arguments.path)
    return ToolResult(text=await asyncio.to_thread(rendered, arguments, content))


read_file = define(
    name="read_file",
    description=(
        f"Read a text file of the workspace. Lines come with their numbers, at most {MOST_LINES} a call; "
        f"for more, call again with start_line. The numbers and the tab after them are not part of the file."
    ),
    accepts=ReadFileArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
