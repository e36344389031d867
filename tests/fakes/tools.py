"""Tools that a test can watch."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from core.domain.errors import ToolError
from core.domain.message import OutgoingFile
from core.domain.tool import Delegate, Effect, ToolResult, ToolSpec
from core.ports import ToolContext

Body = Callable[[str, ToolContext], Awaitable[ToolResult]]


class FakeTool:
    """Runs what the test gives it, and counts."""

    def __init__(self, name: str, body: Body, *, replayable: bool = True) -> None:
        self.spec = ToolSpec(
            name=name,
            description=f"The tool {name}.",
            schema={"type": "object", "properties": {}},
            effect=Effect.READS if replayable else Effect.EXTERNAL,
            replayable=replayable,
        )
        self.runs: list[str] = []
        self.started = asyncio.Event()
        self._body = body

    async def run(self, arguments: str, context: ToolContext) -> ToolResult:
        """Count, then do it."""
        self.runs.append(arguments)
        self.started.set()
        return await self._body(arguments, context)


def answers(name: str, text: str, *, replayable: bool = True, files: tuple[OutgoingFile, ...] = ()) -> FakeTool:
    """A tool that always gives the same."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        return ToolResult(text=text, files=files)

    return FakeTool(name, body, replayable=replayable)


def refuses(name: str, text: str) -> FakeTool:
    """A tool that tells the model what is wrong."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        raise ToolError(text)

    return FakeTool(name, body)


def breaks(name: str) -> FakeTool:
    """A tool with a bug in it."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        raise ZeroDivisionError("a bug")

    return FakeTool(name, body)


def waits_for(name: str, gate: Awaitable[object], *, replayable: bool = True) -> FakeTool:
    """A tool that takes until the gate opens."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        await gate
        return ToolResult(text="done")

    return FakeTool(name, body, replayable=replayable)


class DelegatingTool:
    """Hands its call to the agent that the arguments name."""

    def __init__(self, name: str) -> None:
        self.spec = ToolSpec(
            name=name,
            description="Lets another agent work.",
            schema={"type": "object", "properties": {"agent": {"type": "string"}, "task": {"type": "string"}}},
            effect=Effect.READS,
            replayable=True,
        )

    async def run(self, arguments: str, context: ToolContext) -> Delegate:
        """Nothing but the wish."""
        wish = json.loads(arguments)
        return Delegate(agent=wish["agent"], task=wish["task"])


def delegates(name: str) -> DelegatingTool:
    """A tool that lets another agent work."""
    return DelegatingTool(name)
