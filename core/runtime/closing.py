"""The commits of a turn: its steps while it runs, and the one that ends it and lets its reply out."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from core.bus import Begun, Bus, Ended, Telemetry, Typing
from core.domain.message import says
from core.domain.presence import Outcome
from core.domain.texts import Texts
from core.ports import Chance, Claim, Clock, Ending, Finished, Turns
from core.runtime.frame import Frame
from core.runtime.patience import LeaseLost, persist
from core.runtime.sender import Sender

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Writes what a turn did. A store that cannot be written now is waited for: nothing is done twice for it.

    `settle` returns when no message of a turn is being changed: its reply may take the place of one.
    """

    turns: Turns
    sender: Sender
    clock: Clock
    chance: Chance
    texts: Texts
    bus: Bus
    wake: Callable[[], None]
    settle: Callable[[int], Awaitable[None]]

    async def save(self, frame: Frame) -> None:
        """Commit what the frame's log holds beyond the store's. Raises LeaseLost."""
        unsaved = frame.log.take_unsaved()
        if unsaved and not await persist(lambda: self.turns.append(frame.claim, unsaved, frame=frame.id), self.clock):
            raise LeaseLost

    async def park(self, claim: Claim) -> Finished:
        """Give the turn up until an answer comes."""
        finished = await persist(lambda: self.turns.park(claim), self.clock)
        if not finished.lost and not finished.changed:
            self.bus.emit(Ended(chat=claim.chat, turn=claim.turn, outcome=Outcome.PARKED))
        return finished

    async def close(self, claim: Claim, ending: Ending) -> Finished:
        """The last commit and what follows from it."""
        await self.settle(claim.turn)
        send_now = self.sender.reserve(claim.chat_row, claim.chat)
        finished = Finished(lost=True)
        try:
            key = self.chance.key()
            finished = await persist(lambda: self.turns.finish(claim, ending, key=key, send_now=send_now), self.clock)
        finally:
            if send_now and finished.delivery is None:
                self.sender.give_back(claim.chat_row)
        if finished.changed:
            self.typing(claim, on=True)
        if finished.lost or finished.changed:
            return finished
        if finished.delivery is not None:
            self.sender.hand_over(finished.delivery)
        else:
            self.sender.wake(claim.chat_row, claim.chat)
        if finished.waiting:
            self.wake()
        outcome = Outcome.FAILED if ending.cause else Outcome.ANSWERED
        replies = ending.reply is not None
        self.bus.emit(Ended(chat=claim.chat, turn=claim.turn, outcome=outcome, replies=replies))
        self.tell(claim, "terminated", outcome="failed" if ending.cause else "completed")
        return finished

    def failed(self, claim: Claim, cause: str, what: str = "") -> Ending:
        """The ending that says why there is no answer; `cause` names a text."""
        said = self.cause(cause, what)
        log.warning("turn.failed", cause=said)
        return Ending(reply=says(self.texts.say("failed", cause=said, id=claim.turn)), cause=said)

    def cause(self, cause: str, what: str = "") -> str:
        """Why there is no answer, in words."""
        return self.texts.say(cause, what=what, n=what)

    def begun(self, frame: Frame) -> None:
        """All messages of the turn, as it was loaded."""
        ids = tuple(said.message_id for said in frame.current.said if said.message_id and not said.context)
        claim = frame.claim
        self.bus.emit(Begun(chat=claim.chat, turn=claim.turn, message_ids=ids, shared=claim.shared))

    def typing(self, claim: Claim, *, on: bool) -> None:
        """Whether somebody is at work for this chat."""
        self.bus.emit(Typing(chat=claim.chat, turn=claim.turn, on=on))

    def tell(self, claim: Claim, state: str, **data: object) -> None:
        """Telemetry of the turn's life: one start, one end."""
        self.bus.emit(Telemetry(kind="RunLifecycle", chat=claim.chat, turn=claim.turn, data={"state": state, **data}))
