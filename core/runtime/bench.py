"""Where tools work."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.bus import Bus, Progress, Telemetry
from core.decide.actions import Run
from core.domain.chat import ChatKey
from core.domain.errors import ToolError
from core.domain.step import CallId
from core.domain.tool import ToolOutcome, ToolResult
from core.ports import Clock, ToolContext
from core.runtime.frame import Frame
from core.runtime.saying import Saying
from core.runtime.supervised import BROKEN, supervised


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where tools work: the workspace, where a chat's uploads lie, and how long one call may take."""

    workspace: Path
    uploads: Callable[[ChatKey], Path]
    tool_s: float
    clock: Clock
    bus: Bus
    saying: Saying

    def context(self, frame: Frame, call: CallId, name: str) -> ToolContext:
        """What one call may know and use."""
        chat = frame.claim.chat
        replay_key = f"{frame.claim.turn}.{call.step}.{call.index}"
        return ToolContext(
            chat=chat,
            principal=frame.current.said[-1].sender,
            workspace=self.workspace,
            clock=self.clock,
            replay_key=replay_key,
            progress=lambda text: self.show(frame, f"{name}: {text}"),
            uploads=self.uploads(chat),
            say=self.saying.of_call(frame, replay_key),
        )

    async def run(self, frame: Frame, action: Run) -> ToolOutcome:
        """What the tool of a call gives, or what it tells the model instead."""
        name = action.call.name
        self.tell(frame, "ToolCallStarted", tool=name)
        self.show(frame, name)
        result = await supervised(self._told(frame, action), "tool.broke")
        if result is BROKEN:
            result = broke(name)
        self.tell(frame, "ToolCallFinished", tool=name, is_error=isinstance(result, ToolResult) and result.failed)
        return result

    async def _told(self, frame: Frame, action: Run) -> ToolOutcome:
        name = action.call.name
        tool = frame.tools[name]
        try:
            async with asyncio.timeout(None if tool.spec.limits_itself else self.tool_s):
                return await tool.run(action.call.arguments, self.context(frame, action.id, name))
        except ToolError as exc:
            return ToolResult(text=str(exc), failed=True)
        except TimeoutError:
            return ToolResult(text=f"{name} took longer than {self.tool_s:g} seconds and was stopped.", failed=True)

    def show(self, frame: Frame, text: str) -> None:
        """What is being done, to whoever watches the chat."""
        self.bus.emit(Progress(chat=frame.claim.chat, turn=frame.claim.turn, text=text))

    def tell(self, frame: Frame, kind: str, **data: object) -> None:
        """Telemetry of a call."""
        self.bus.emit(Telemetry(kind=kind, chat=frame.claim.chat, turn=frame.claim.turn, data=data))


def broke(name: str) -> ToolResult:
    """What the model reads of a tool that has a bug."""
    return ToolResult(text=f"{name} failed with an internal error. Try another way.", failed=True)
