"""Stop 6: one turn, from its claim to its last commit.

The loop performs what `next_actions` says and appends each outcome. It may be cut off anywhere: the next worker goes on
from the log.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from core.decide.next_step import (
    Action,
    Blocked,
    Budget,
    CallModel,
    Circumstances,
    Close,
    Fail,
    Finish,
    Run,
    next_actions,
)
from core.domain.message import Markdown, Reply
from core.domain.step import Nudged
from core.ports import Claim, Ending
from core.runtime.asking import Asking, NoAnswer
from core.runtime.bench import Bench
from core.runtime.calls import perform
from core.runtime.closing import Closing, LeaseLost
from core.runtime.frame import Frame
from core.runtime.loading import Loading

log = structlog.get_logger(__name__)

# A turn that was started this often without coming to an end is answered with an error.
ATTEMPTS = 5


class _Drained(Exception):
    """The turn stopped between two steps because the process ends; its log holds all that was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a turn works with. `hours` of work end it."""

    loading: Loading
    asking: Asking
    bench: Bench
    closing: Closing
    budget: Budget
    hours: float


class TurnRunner:
    """Runs claimed turns; one call of `run` each, any number side by side."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._asking: set[int] = set()
        self._draining = False

    def drain(self, *, on: bool) -> None:
        """While it is on, turns stop before their next step unless that step ends them."""
        self._draining = on

    def asks(self, turn: int) -> bool:
        """Whether a model is being asked for this turn: that can be cut off and done again without harm."""
        return turn in self._asking

    async def run(self, claim: Claim) -> bool:
        """Until the turn is finished, parked or somebody else's; False when it stopped because the process ends.

        Raises StoreError; then the log holds what was done.
        """
        self._means.closing.typing(claim, on=True)
        self._means.closing.tell(claim, "started")
        try:
            frame: Frame | None = await self._means.loading.load(claim)
            while frame is not None:
                frame = await self._go_on(frame)
        except LeaseLost:
            # Stopped, or taken over: whoever did that has told of it.
            log.info("turn.lost")
        except _Drained:
            log.info("turn.given_back")
            return False
        finally:
            self._means.closing.typing(claim, on=False)
        return True

    async def fail(self, claim: Claim, cause: str) -> None:
        """End a turn that broke for a reason outside it; needs nothing but the store."""
        await self._means.closing.close(claim, self._means.closing.failed(claim, cause))

    async def _go_on(self, frame: Frame) -> Frame | None:
        """To the end, or to the point where only people can go on; the reloaded frame when a signal came in first."""
        ending = await self._in_time(frame)
        if ending is None:
            finished = await self._means.closing.park(frame.claim)
        else:
            finished = await self._means.closing.close(frame.claim, ending)
        if finished.lost:
            raise LeaseLost
        if finished.changed:
            return await self._means.loading.reload(frame)
        if ending is not None:
            self._means.loading.remember(frame, frame.log.steps)
        return None

    async def _in_time(self, frame: Frame) -> Ending | None:
        """Work, not waiting for people, is what is limited: each run of a turn starts its own count."""
        try:
            async with asyncio.timeout(self._means.hours * 3600):
                return await self._to_the_end(frame)
        except TimeoutError:
            return self._means.closing.failed(frame.claim, "cause_limit", f"{self._means.hours:g} hours of work")

    async def _to_the_end(self, frame: Frame) -> Ending | None:
        """How the turn ends; None when every open call waits for a person."""
        if frame.claim.attempt > ATTEMPTS:
            return self._means.closing.failed(frame.claim, "cause_internal")
        resumed = True
        while True:
            around = Circumstances(tools=frame.repeatable, answers=frame.answers, resumed=resumed)
            actions = [
                action
                for action in next_actions(frame.log.steps, around, self._means.budget)
                if not isinstance(action, Blocked)
            ]
            resumed = False
            if not actions:
                return None
            if self._draining and not isinstance(actions[0], Finish | Fail):
                await self._means.closing.save(frame)
                raise _Drained
            ending = await self._do(frame, actions)
            if ending is not None:
                return ending

    async def _do(self, frame: Frame, actions: Sequence[Action]) -> Ending | None:
        match actions[0]:
            case CallModel(nudge=nudge):
                return await self._call_model(frame, nudge)
            case Finish(text=text, files=files):
                reply = Reply(fragments=(Markdown(source=text),), files=files)
                return self._with_last_step(frame, Ending(reply=reply))
            case Fail(cause=cause, what=what):
                return self._with_last_step(frame, self._means.closing.failed(frame.claim, cause, what))
            case Run() | Close():
                calls = [action for action in actions if isinstance(action, Run | Close)]
                await perform(frame, calls, self._means.bench, self._means.closing)
                return None
            case Blocked():
                return None
            case _ as never:
                assert_never(never)

    def _with_last_step(self, frame: Frame, ending: Ending) -> Ending:
        """The last answer goes into the log with the turn's last commit."""
        unsaved = frame.log.take_unsaved()
        return replace(ending, step=unsaved[-1]) if unsaved else ending

    async def _call_model(self, frame: Frame, nudge: str | None) -> Ending | None:
        if nudge is not None:
            frame.log.add(Nudged(text=nudge))
        await self._means.closing.save(frame)
        self._asking.add(frame.claim.turn)
        try:
            frame.log.add(await self._means.asking.ask(frame))
        except NoAnswer as exc:
            return self._means.closing.failed(frame.claim, exc.cause)
        finally:
            self._asking.discard(frame.claim.turn)
        return None
