"""Where tools work."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.bus import Bus, Progress, Telemetry
from core.domain.chat import ChatKey
from core.domain.step import CallId
from core.ports import Clock, ToolContext
from core.runtime.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where tools work: the workspace, where a chat's uploads lie, and how long one call may take."""

    workspace: Path
    uploads: Callable[[ChatKey], Path]
    tool_s: float
    clock: Clock
    bus: Bus

    def context(self, frame: Frame, call: CallId, name: str) -> ToolContext:
        """What one call may know and use."""
        chat, turn = frame.claim.chat, frame.claim.turn
        return ToolContext(
            chat=chat,
            principal=frame.current.said[-1].sender,
            workspace=self.workspace,
            clock=self.clock,
            replay_key=f"{turn}.{call.step}.{call.index}",
            progress=lambda text: self.show(frame, f"{name}: {text}"),
            uploads=self.uploads(chat),
        )

    def show(self, frame: Frame, text: str) -> None:
        """What is being done, to whoever watches the chat."""
        self.bus.emit(Progress(chat=frame.claim.chat, turn=frame.claim.turn, text=text))

    def tell(self, frame: Frame, kind: str, **data: object) -> None:
        """Telemetry of a call."""
        self.bus.emit(Telemetry(kind=kind, chat=frame.claim.chat, turn=frame.claim.turn, data=data))
