"""The frames of a turn at work: the loop that performs what `next_actions` says and appends each outcome.

It may be cut off anywhere: the next worker goes on from the logs.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto

from core.decide.actions import Action, Blocked, CallAction, CallModel, Fail, Finish
from core.decide.next_step import Budget, next_actions
from core.decide.open_calls import Circumstances
from core.domain.step import Nudged, Steered
from core.runtime.asking import Asking, NoAnswer
from core.runtime.calls import Calls
from core.runtime.closing import Closing
from core.runtime.frame import Frame
from core.runtime.quotas import Quotas


class Halt(Enum):
    """Why a frame stands still without having ended.

    BLOCKED: only people can go on. DRAINED: the process ends. CHANGED: a signal came in, the turn is to be reloaded.
    """

    BLOCKED = auto()
    DRAINED = auto()
    CHANGED = auto()


Outcome = Finish | Fail | Halt


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What frames work with."""

    asking: Asking
    calls: Calls
    closing: Closing
    budget: Budget
    quotas: Quotas


class Engine:
    """Runs frames; any number side by side, those of one turn below each other."""

    def __init__(self, power: Power) -> None:
        self._power = power
        self._models_asked: Counter[int] = Counter()
        self._signals: dict[int, int] = {}
        self.draining = False

    def asks(self, turn: int) -> bool:
        """Whether nothing but models works for this turn: that can be cut off and done again without harm."""
        return self._models_asked[turn] > 0 and not self._power.calls.busy(turn)

    def hear(self, turn: int, signals: int) -> None:
        """The store's count of signals of a turn that may run here."""
        self._signals[turn] = max(signals, self._signals.get(turn, 0))

    def forget(self, turn: int) -> None:
        """The turn does not run here any more."""
        self._signals.pop(turn, None)

    async def advance(self, frame: Frame) -> Outcome:
        """As far as the frame comes. What it did is in its log, the last answer perhaps unsaved.

        Raises LeaseLost and StoreError.
        """
        resumed = True
        while True:
            actions = self._next(frame, resumed=resumed)
            resumed = False
            if not actions:
                return Halt.BLOCKED
            match actions[0]:
                case Finish() | Fail() as ended:
                    return ended
                case CallModel(nudge=nudge):
                    halted = await self._call_model(frame, nudge)
                case _:
                    halted = await self._perform(frame, actions)
            if halted is not None:
                return halted

    def _next(self, frame: Frame, *, resumed: bool) -> Sequence[Action]:
        around = Circumstances(
            tools=frame.repeatable,
            answers=frame.tree.answers,
            resumed=resumed,
            spent=frame.tree.spent_beside(frame.id),
        )
        actions = next_actions(frame.log.steps, around, self._power.budget)
        return [action for action in actions if not isinstance(action, Blocked)]

    async def _perform(self, frame: Frame, actions: Sequence[Action]) -> Halt | None:
        if self.draining:
            return Halt.DRAINED
        calls = [action for action in actions if isinstance(action, CallAction)]
        if await self._power.calls.perform(frame, calls, self.advance):
            return None
        # A child that stopped because the process ends waits for nobody: parked, its turn would never go on.
        return Halt.DRAINED if self.draining else Halt.BLOCKED

    async def _call_model(self, frame: Frame, nudge: str | None) -> Halt | Fail | None:
        if nudge is not None:
            frame.log.add(Nudged(text=nudge))
        if frame.id == 0:
            for inbound in frame.tree.take_steers():
                frame.log.add(Steered(inbound=inbound))
        await self._power.closing.save(frame)
        if self.draining:
            return Halt.DRAINED
        if frame.id == 0 and self._signals.get(frame.claim.turn, 0) > frame.claim.signals:
            return Halt.CHANGED
        if reached := await self._power.quotas.reached(frame):
            return Fail(cause="cause_limit", what=reached)
        try:
            with self._asking(frame.claim.turn):
                answered = await self._power.asking.ask(frame)
            self._power.quotas.count(frame, answered.usage)
            frame.log.add(answered)
        except NoAnswer as exc:
            return Fail(cause=exc.cause)
        return None

    @contextmanager
    def _asking(self, turn: int) -> Iterator[None]:
        self._models_asked[turn] += 1
        try:
            yield
        finally:
            self._models_asked[turn] -= 1
            if not self._models_asked[turn]:
                del self._models_asked[turn]
