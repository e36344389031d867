"""Where tools work."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.bus import Bus, Progress, Telemetry
from core.domain.chat import ChatKey
from core.domain.step import CallId
from core.ports import Clock, ToolContext
from core.runtime.frame import Frame
from core.runtime.saying import Saying


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

    def show(self, frame: Frame, text: str) -> None:
        """What is being done, to whoever watches the chat."""
        self.bus.emit(Progress(chat=frame.claim.chat, turn=frame.claim.turn, text=text))

    def tell(self, frame: Frame, kind: str, **data: object) -> None:
        """Telemetry of a call."""
        self.bus.emit(Telemetry(kind=kind, chat=frame.claim.chat, turn=frame.claim.turn, data=data))
