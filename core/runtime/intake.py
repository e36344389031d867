"""Stop 3: takes an event from a channel, has it stored and decided, and starts what follows.

`accept` returns after the commit: only then may the channel acknowledge.
"""

from dataclasses import dataclass

import structlog

from core.bus import Bus, Ended, Taken, Telemetry
from core.decide.gate import PLACE_NOT_LISTED
from core.domain.message import Dropped, Inbound
from core.domain.presence import Outcome
from core.ports import Accepted, Chance, Inbox, Wakeup
from core.runtime.bursts import Bursts
from core.runtime.sender import Sender
from core.runtime.worker import Worker

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The one way in."""

    inbox: Inbox
    worker: Worker
    bursts: Bursts
    sender: Sender
    work: Wakeup
    commands: Wakeup
    chance: Chance
    bus: Bus

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """Raises StoreError; then nothing was stored and nothing may be acknowledged."""
        slot = isinstance(event, Inbound) and self.worker.reserve()
        accepted: Accepted | None = None
        try:
            accepted = await self.inbox.accept(event, key=self.chance.key(), slot=slot)
        finally:
            if slot and (accepted is None or accepted.claim is None):
                self.worker.give_back()
        self._follow(event, accepted)
        return accepted

    def _follow(self, event: Inbound | Dropped, accepted: Accepted) -> None:
        if accepted.turn is not None and isinstance(event, Inbound) and event.message_id is not None:
            taken = Taken(
                chat=event.chat,
                turn=accepted.turn,
                message_id=event.message_id,
                shared=event.shared,
                waits=accepted.queued_before > 0,
            )
            self.bus.emit(taken)
        self.worker.follow(accepted)
        for turn in accepted.stopped:
            self.bus.emit(Ended(chat=event.chat, turn=turn, outcome=Outcome.STOPPED))
            ended = {"state": "terminated", "outcome": "cancelled"}
            self.bus.emit(Telemetry(kind="RunLifecycle", chat=event.chat, turn=turn, data=ended))
        if accepted.burst_ms:
            self.bursts.look_in(accepted.burst_ms)
        if accepted.resumed:
            self.work.set()
        if accepted.command:
            self.commands.set()
        if accepted.replies:
            self.sender.wake(accepted.chat_row, event.chat)
        self._note(event, accepted)

    def _note(self, event: Inbound | Dropped, accepted: Accepted) -> None:
        if accepted.duplicate or accepted.dropped:
            reason = "duplicate" if accepted.duplicate else accepted.dropped
            log.info("inbound.dropped", inbound=accepted.inbound, reason=reason)
            if reason == PLACE_NOT_LISTED and accepted.replies and isinstance(event, Inbound):
                # What the operator has to write for it to be heard there.
                line = f'groups = ["{event.place}"]'
                log.warning("place.not_listed", section=f"[channels.{event.chat.channel}]", add=line)
            data = {"inbound": accepted.inbound, "reason": reason}
            self.bus.emit(Telemetry(kind="InboundDropped", chat=event.chat, data=data))
