"""send_file: a file of the workspace goes out with the reply that is being written."""

import asyncio

from pydantic import Field

from core.domain.message import OutgoingFile
from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define
from core.tools.paths import parts_of
from core.tools.workspace import FILE_LIMIT, workspace_of


class SendFileArguments(Arguments):
    """The file and a line about it."""

    path: str = Field(description="file, relative to the workspace")
    caption: str = Field(default="", max_length=1_000, description="one line that is shown with the file")


async def _perform(arguments: SendFileArguments, context: ToolContext) -> ToolResult:
    # It is read again when it is sent; this look tells the model at once what the sending would refuse.
    size = await asyncio.to_thread(workspace_of(context).size, arguments.path, FILE_LIMIT)
    parts = parts_of(arguments.path)
    file = OutgoingFile(path="/".join(parts), name=parts[-1], caption=arguments.caption)
    return ToolResult(text=f"{file.path} ({size:,} bytes) goes out with your reply.", files=(file,))


send_file = define(
    name="send_file",
    description=(
        f"Attach a file of the workspace to your reply. At most {FILE_LIMIT // 1_000_000} MB; the file must stay as it "
        f"is until the reply is sent."
    ),
    accepts=SendFileArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
