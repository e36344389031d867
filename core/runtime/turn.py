"""Stop 6: one turn, from its claim to its last commit."""

import asyncio
from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from core.decide.actions import Fail, Finish
from core.domain.message import Markdown, Reply
from core.ports import Claim, Ending
from core.runtime.closing import Closing
from core.runtime.engine import Engine, Halt
from core.runtime.frame import Frame
from core.runtime.loading import Loading
from core.runtime.patience import LeaseLost

log = structlog.get_logger(__name__)

# A turn that was started this often without coming to an end is answered with an error.
ATTEMPTS = 5


class _Drained(Exception):
    """The turn stopped between two steps because the process ends; its log holds all that was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a turn works with. `hours` of work end it."""

    loading: Loading
    engine: Engine
    closing: Closing
    hours: float


class TurnRunner:
    """Runs claimed turns; one call of `run` each, any number side by side."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def drain(self, *, on: bool) -> None:
        """While it is on, turns stop before their next step unless that step ends them."""
        self._means.engine.draining = on

    def asks(self, turn: int) -> bool:
        """Whether only models work for this turn: they can be cut off and asked again without harm."""
        return self._means.engine.asks(turn)

    def hear(self, turn: int, signals: int) -> None:
        """The chat of this turn has so many signals now: the turn looks again before it asks a model."""
        self._means.engine.hear(turn, signals)

    async def run(self, claim: Claim) -> bool:
        """Until the turn is finished, parked or somebody else's; False when it stopped because the process ends.

        Raises StoreError; then the log holds what was done.
        """
        self._means.closing.typing(claim, on=True)
        self._means.closing.tell(claim, "started")
        try:
            frame: Frame | None = await self._means.loading.load(claim)
            while frame is not None:
                self._means.closing.begun(frame)
                frame = await self._go_on(frame)
        except LeaseLost:
            # Stopped, or taken over: whoever did that has told of it.
            log.info("turn.lost")
        except _Drained:
            log.info("turn.given_back")
            return False
        finally:
            self._means.engine.forget(claim.turn)
            self._means.closing.typing(claim, on=False)
        return True

    async def fail(self, claim: Claim, cause: str) -> None:
        """End a turn that broke for a reason outside it; needs nothing but the store."""
        await self._means.closing.close(claim, self._means.closing.failed(claim, cause))

    async def _go_on(self, frame: Frame) -> Frame | None:
        """To the end, or to the point where only people can go on; the reloaded frame when a signal came in first."""
        ending = await self._in_time(frame)
        match ending:
            case Halt.CHANGED:
                return await self._means.loading.reload(frame)
            case Halt.DRAINED:
                raise _Drained
            case Halt.BLOCKED:
                finished = await self._means.closing.park(frame.claim)
                if finished.lost:
                    raise LeaseLost
                return await self._means.loading.reload(frame) if finished.changed else None
            case Ending():
                return await self._end(frame, ending)
            case _ as never:
                assert_never(never)

    async def _end(self, frame: Frame, ending: Ending) -> Frame | None:
        """Close the turn; the reloaded frame when somebody said something that this ending does not know of."""
        claim = frame.claim
        while True:
            finished = await self._means.closing.close(claim, ending)
            if finished.lost:
                raise LeaseLost
            if not finished.changed:
                self._means.loading.remember(frame)
                return None
            again = await self._means.loading.reload(frame)
            if again is None or again.tree.steered:
                return again
            # What came in was known when the last step was made: the ending stands.
            claim = again.claim

    async def _in_time(self, frame: Frame) -> Ending | Halt:
        """Work, not waiting for people, is what is limited: each run of a turn starts its own count."""
        hours = self._means.hours
        if frame.claim.attempt > ATTEMPTS:
            return self._means.closing.failed(frame.claim, "cause_internal")
        try:
            async with asyncio.timeout(hours * 3600):
                outcome = await self._means.engine.advance(frame)
        except TimeoutError:
            return self._means.closing.failed(frame.claim, "cause_limit", f"{hours:g} hours of work")
        match outcome:
            case Finish() as answer:
                return _with_last_step(frame, Ending(reply=_reply(answer)))
            case Fail(cause=cause, what=what):
                return _with_last_step(frame, self._means.closing.failed(frame.claim, cause, what))
            case Halt():
                return outcome


def _reply(answer: Finish) -> Reply | None:
    if answer.said:
        return Reply(fragments=(), files=answer.files) if answer.files else None
    return Reply(fragments=(Markdown(source=answer.text),), files=answer.files)


def _with_last_step(frame: Frame, ending: Ending) -> Ending:
    """The last answer goes into the log with the turn's last commit."""
    unsaved = frame.log.take_unsaved()
    return replace(ending, step=unsaved[-1]) if unsaved else ending
