"""One agent at work in a turn: what it has, and the log of what it did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.decide.context import Block
from core.domain.agent import AgentDefinition
from core.domain.history import Exchange
from core.domain.step import CallId, Stamped, Step
from core.ports import Claim, Tool


class FrameLog:
    """The steps of a frame, in order, and the last of them that no commit holds yet."""

    def __init__(self, steps: Sequence[Stamped]) -> None:
        self.steps = list(steps)
        self._unsaved: list[Stamped] = []

    @property
    def unsaved(self) -> bool:
        """Whether anything waits for a commit."""
        return bool(self._unsaved)

    def add(self, step: Step) -> None:
        """Append a step; it is unsaved until whoever takes it has committed it."""
        stamped = Stamped(seq=self.steps[-1].seq + 1 if self.steps else 1, step=step)
        self.steps.append(stamped)
        self._unsaved.append(stamped)

    def add_saved(self, step: Step) -> int:
        """Append a step that the caller commits itself; gives its place."""
        self.add(step)
        return self._unsaved.pop().seq

    def take_unsaved(self) -> Sequence[Stamped]:
        """What is to be committed now."""
        taken, self._unsaved = tuple(self._unsaved), []
        return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The working copy of a frame: all but its log stays as it was loaded."""

    claim: Claim
    agent: AgentDefinition
    tools: Mapping[str, Tool]
    system: Block
    past: tuple[Block, ...]
    current: Exchange
    log: FrameLog
    answers: Mapping[CallId, str]

    @property
    def repeatable(self) -> Mapping[str, bool]:
        """Each tool of the frame, and whether its calls may be repeated."""
        return {name: tool.spec.replayable for name, tool in self.tools.items()}
