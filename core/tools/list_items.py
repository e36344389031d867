"""list_items: what there is of a kind, for a model that has to choose."""

from typing import Literal

from pydantic import Field

from core.domain.tool import Effect, ToolResult
from core.ports import Agents, Tool, ToolContext
from core.tools.define import Arguments, define


class ListArguments(Arguments):
    """The kind."""

    type: Literal["agents", "mcp", "plugins", "cron"] = Field(description="what is listed")


def list_items(agents: Agents) -> Tool:
    """The tool on these agents."""

    async def perform(arguments: ListArguments, context: ToolContext) -> ToolResult:
        if arguments.type != "agents":
            return ToolResult(text=f"There are none of type {arguments.type} yet.")
        lines = [
            f"- **{one.id}** — {one.description}" + (f"\n  How to ask: {one.instructions}" if one.instructions else "")
            for one in agents.tasks()
        ]
        return ToolResult(text="\n".join(lines) or "There are no agents that work for others.")

    return define(
        name="list_items",
        description="List the agents that work for others, with how to ask each.",
        accepts=ListArguments,
        effect=Effect.READS,
        replayable=True,
        perform=perform,
    )
