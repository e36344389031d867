"""write_file: a whole file of the workspace, new or replaced."""

import asyncio

from pydantic import Field

from core.domain.errors import ToolError
from core.domain.tool import Approval, Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import shown
from core.tools.text import lines_of
from core.tools.workspace import workspace_of


class WriteFileArguments(Arguments):
    """Both are needed; the content is the whole file."""

    path: str = Field(description="file, relative to the workspace; folders on the way are made")
    content: str = Field(description="the whole new content; what the file held before is replaced")


def encoded(field: str, text: str) -> bytes:
    """Raises ToolError for half a surrogate pair, which no file can hold as text."""
    try:
        return text.encode()
    except UnicodeEncodeError as exc:
        raise ToolError(
            f"{field}: character {exc.start + 1} is half of a surrogate pair. Send the whole character."
        ) from exc


async def _perform(arguments: WriteFileArguments, context: ToolContext) -> ToolResult:
    content = encoded("content", arguments.content)
    new = await asyncio.to_thread(workspace_of(context).write, arguments.path, content, context.replay_key)
    done = "Wrote the new file" if new else "Replaced"
    count = len(lines_of(arguments.content))
    return ToolResult(text=f"{done} {shown(arguments.path)}: {count:,} lines, {len(content):,} bytes.")


write_file = define(
    name="write_file",
    description="Write a whole text file of the workspace, new or in place of the old. To change a part use edit_file.",
    accepts=WriteFileArguments,
    effect=Effect.WRITES,
    replayable=True,
    perform=_perform,
    approval=Approval.MEMBERS,
)
