"""Tools that a test can watch."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable

from core.domain.errors import ToolError
from core.domain.message import OutgoingFile
from core.domain.tool import Approval, Delegate, Effect, Proposal, ToolResult, ToolSpec
from core.ports import ToolContext

Body = Callable[[str, ToolContext], Awaitable[ToolResult]]


class FakeTool:
    """Runs what the test gives it, and counts."""

    def __init__(self, name: str, body: Body, *, replayable: bool = True, approval: Approval = Approval.NEVER) -> None:
        self.spec = ToolSpec(
            name=name,
            description=f"The tool {name}.",
            schema={"type": "object", "properties": {}},
            effect=Effect.READS if replayable else Effect.EXTERNAL,
            replayable=replayable,
            approval=approval,
        )
        self.runs: list[str] = []
        self.started = asyncio.Event()
        self._body = body

    async def run(self, arguments: str, context: ToolContext) -> ToolResult:
        """Count, then do it."""
        self.runs.append(arguments)
        self.started.set()
        return await self._body(arguments, context)


def answers(
    name: str,
    text: str,
    *,
    replayable: bool = True,
    files: tuple[OutgoingFile, ...] = (),
    approval: Approval = Approval.NEVER,
) -> FakeTool:
    """A tool that always gives the same."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        return ToolResult(text=text, files=files)

    return FakeTool(name, body, replayable=replayable, approval=approval)


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


class ScriptTool(FakeTool):
    """Runs a file of the workspace after somebody's yes; what it proposes covers the file's bytes."""

    def __init__(self, name: str) -> None:
        super().__init__(name, self._body, replayable=False, approval=Approval.ASK)

    async def propose(self, arguments: str, context: ToolContext) -> Proposal:
        """Raises ToolError when there is no such file."""
        text = self._text(arguments, context)
        return Proposal(shown=text, digest=hashlib.sha256(text.encode()).hexdigest())

    async def _body(self, arguments: str, context: ToolContext) -> ToolResult:
        return ToolResult(text=f"ran {self._text(arguments, context)}")

    @staticmethod
    def _text(arguments: str, context: ToolContext) -> str:
        try:
            file: str = json.loads(arguments)["file"]
            return (context.workspace / file).read_text()
        except OSError as exc:
            raise ToolError(f"there is no such file: {exc.strerror}") from exc
