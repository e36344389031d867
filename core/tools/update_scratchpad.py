"""update_scratchpad: a note that every agent of this turn sees from its next step on."""

from pydantic import Field

from core.decide.scratchpad import TOOL
from core.domain.tool import Effect, ToolResult
from core.ports import ToolContext
from core.tools.define import Arguments, define


class ScratchpadArguments(Arguments):
    """A note under a name."""

    key: str = Field(min_length=1, max_length=80, description="its name; the same name again replaces the note")
    value: str = Field(max_length=4_000, description="the note; empty takes it away")


async def _perform(arguments: ScratchpadArguments, context: ToolContext) -> ToolResult:
    done = "Noted" if arguments.value else "Removed"
    return ToolResult(text=f"{done}: {arguments.key}")


update_scratchpad = define(
    name=TOOL,
    description=(
        "Write a note on the scratchpad that all agents of this turn share: paths of results, decisions, findings. "
        "Your own plan belongs into write_todos."
    ),
    accepts=ScratchpadArguments,
    effect=Effect.READS,
    replayable=True,
    perform=_perform,
)
