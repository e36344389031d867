"""One agent at work in a turn: what it has, what it did, and what of that is not in the log yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.decide.context import Block
from core.domain.agent import AgentDefinition
from core.domain.history import Exchange
from core.domain.step import ModelAnswered, Stamped, Step
from core.ports import Claim, Tool


@dataclass(slots=True, kw_only=True)
class Frame:
    """The working copy of a frame. `steps` are all of them, `unsaved` the last of those that no commit holds yet."""

    claim: Claim
    agent: AgentDefinition
    tools: Mapping[str, Tool]
    system: Block
    past: tuple[Block, ...]
    current: Exchange
    steps: list[Stamped]
    unsaved: list[Stamped] = field(default_factory=list)
    resumed: bool = True

    @property
    def repeatable(self) -> Mapping[str, bool]:
        """Each tool of the frame, and whether its calls may be repeated."""
        return {name: tool.spec.replayable for name, tool in self.tools.items()}

    def add(self, step: Step) -> Stamped:
        """Append a step; it is unsaved until the caller commits it."""
        stamped = Stamped(seq=self.steps[-1].seq + 1 if self.steps else 1, step=step)
        self.steps.append(stamped)
        self.unsaved.append(stamped)
        return stamped

    def take_unsaved(self) -> Sequence[Stamped]:
        """What is to be committed now."""
        taken, self.unsaved = tuple(self.unsaved), []
        return taken

    def last_answer(self) -> ModelAnswered | None:
        """The newest step if it is a model's answer."""
        return self.steps[-1].step if self.steps and isinstance(self.steps[-1].step, ModelAnswered) else None
