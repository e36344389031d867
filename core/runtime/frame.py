"""The agents at work in a turn: the root frame, the frames below it, and the log of what each did."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.decide.context import Block
from core.decide.open_calls import Spent
from core.domain.agent import AgentDefinition
from core.domain.history import Exchange
from core.domain.step import ModelAnswered, Stamped, Step
from core.domain.wait import Answered
from core.ports import Claim, Tool


class Numbers:
    """The places of a turn's steps: one count for all its frames."""

    def __init__(self, last: int) -> None:
        self._last = last

    def next(self) -> int:
        """The next place."""
        self._last += 1
        return self._last


class FrameLog:
    """The steps of a frame, in order, and the last of them that no commit holds yet."""

    def __init__(self, steps: Sequence[Stamped], numbers: Numbers) -> None:
        self.steps = list(steps)
        self._unsaved: list[Stamped] = []
        self._numbers = numbers

    @property
    def unsaved(self) -> bool:
        """Whether anything waits for a commit."""
        return bool(self._unsaved)

    def add(self, step: Step) -> None:
        """Append a step; it is unsaved until whoever takes it has committed it."""
        stamped = Stamped(seq=self._numbers.next(), step=step)
        self.steps.append(stamped)
        self._unsaved.append(stamped)

    def next_place(self) -> int:
        """The place of a step that the caller commits itself, before it is added."""
        return self._numbers.next()

    def add_saved(self, stamped: Stamped) -> None:
        """Append a step that is committed already."""
        self.steps.append(stamped)

    def take_unsaved(self) -> Sequence[Stamped]:
        """What is to be committed now."""
        taken, self._unsaved = tuple(self._unsaved), []
        return taken


class Tree:
    """The frames of one turn by their ids, 0 being the root, and what they share.

    `answers` holds how waits ended, by the place of their Asked step; `steers` what people said that no frame has
    taken in yet.
    """

    def __init__(self, answers: Mapping[int, Answered], steers: Iterable[int], last: int) -> None:
        self.frames: dict[int, Frame] = {}
        self.answers = answers
        self.numbers = Numbers(last)
        self._steers = list(steers)

    @property
    def steered(self) -> bool:
        """Whether something was said that no frame has taken in."""
        return bool(self._steers)

    def take_steers(self) -> Sequence[int]:
        """The inbounds that are to come in now."""
        taken, self._steers = tuple(self._steers), []
        return taken

    def spent_beside(self, frame: int) -> Spent:
        """What all other frames have used of the turn's budget."""
        answers = [
            stamped.step
            for other in self.frames.values()
            if other.id != frame
            for stamped in other.log.steps
            if isinstance(stamped.step, ModelAnswered)
        ]
        return Spent(model_calls=len(answers), tokens=sum(answer.usage.tokens for answer in answers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The working copy of a frame: all but its log stays as it was loaded. `current` is what it works on."""

    id: int
    depth: int
    claim: Claim
    tree: Tree
    agent: AgentDefinition
    tools: Mapping[str, Tool]
    system: Block
    past: tuple[Block, ...]
    current: Exchange
    shared: bool
    log: FrameLog

    @property
    def repeatable(self) -> Mapping[str, bool]:
        """Each tool of the frame, and whether its calls may be repeated."""
        return {name: tool.spec.replayable for name, tool in self.tools.items()}
