"""Stop 8: one delivery on its way out, part by part.

Whether a part was sent is never guessed: an unsure one is settled with the channel before it goes out again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

import structlog

from core.bus import Bus, Telemetry
from core.decide.retry import Verdict, retry_at, settle
from core.domain.delivery import Delivery, DeliveryState, Receipt
from core.domain.errors import SendError, Unsure
from core.domain.message import Reply, Text
from core.domain.texts import Texts
from core.ports import Chance, Clock, Outbox, Retry, Sending
from core.runtime.patience import persist
from core.runtime.supervised import BROKEN, supervised

log = structlog.get_logger(__name__)

# How long a channel that cannot tell is left before the part goes out again, labelled as a possible repeat.
RESEND_AFTER_MS = 10 * 60 * 1000


class _Outcome(Enum):
    SENT = auto()
    WAITS = auto()
    DEAD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What a sender works with beside the store."""

    sending: Sending
    clock: Clock
    chance: Chance
    bus: Bus
    texts: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Takes deliveries out. Any number side by side, but one a chat: the lanes see to that."""

    outbox: Outbox
    ways: Ways

    async def deliver(self, delivery: Delivery) -> bool:
        """All parts that are left of one delivery; False when it has to wait."""
        outcome = await supervised(self._deliver(delivery), "delivery.broke")
        if outcome is BROKEN:
            # A bug met this reply, and would meet it again: it is listed as dead, and the chat goes on.
            outcome = await self._give_up(delivery, "an internal error: see the log")
        return outcome is not _Outcome.WAITS

    async def _deliver(self, delivery: Delivery) -> _Outcome:
        parts = await self._parts(delivery)
        while True:
            outcome = await self._send_part(delivery, parts)
            if outcome is not _Outcome.SENT or delivery.part + 1 >= len(parts):
                return outcome
            delivery = replace(delivery, part=delivery.part + 1, attempt=1, repeat=0, state=DeliveryState.SENDING)

    async def _parts(self, delivery: Delivery) -> Sequence[Mapping[str, object]]:
        if delivery.part or delivery.attempt > 1 or delivery.state is DeliveryState.UNSURE:
            kept = await persist(lambda: self.outbox.stored_parts(delivery), self.ways.clock)
            if kept:
                return kept
        parts = self.ways.sending.render(delivery.chat, delivery.reply)
        if len(parts) > 1:
            await persist(lambda: self.outbox.keep_parts(delivery, parts), self.ways.clock)
        return parts

    async def _send_part(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> _Outcome:
        try:
            if delivery.state is DeliveryState.UNSURE and delivery.edits is None:
                return await self._settle(delivery, parts)
            return await self._send(delivery, parts)
        except SendError as error:
            return await self._not_sent(delivery, error)

    async def _send(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> _Outcome:
        # Every attempt of a repeat carries the label.
        shown = await self._labelled(delivery, parts) if delivery.repeat > 1 else parts
        part, key = shown[delivery.part], delivery.part_key()
        receipt = None
        if delivery.edits is not None:
            receipt = await self.ways.sending.edit(delivery.chat, delivery.edits, part, key)
        if receipt is None:
            receipt = await self.ways.sending.send(delivery.chat, part, key)
        return await self._sent(delivery, receipt, parts)

    async def _sent(self, delivery: Delivery, receipt: Receipt, parts: Sequence[Mapping[str, object]]) -> _Outcome:
        more, stored = delivery.part + 1 < len(parts), len(parts) > 1
        await persist(lambda: self.outbox.sent(delivery, receipt, more=more, stored=stored), self.ways.clock)
        self._tell("delivery.sent", delivery)
        return _Outcome.SENT

    async def _settle(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> _Outcome:
        settled = await self.ways.sending.settle(delivery.chat, parts[delivery.part], delivery.part_key())
        match settle(settled, delivery.repeat):
            case Verdict.SENT:
                return await self._sent(delivery, Receipt(message_id=""), parts)
            case Verdict.SEND:
                await persist(lambda: self.outbox.resume(delivery), self.ways.clock)
                return await self._send_again(delivery, parts)
            case Verdict.LEAVE:
                at = self.ways.clock.now() + RESEND_AFTER_MS
                reason = "the channel cannot tell whether this was sent"
                later = Retry(not_before=at, error=reason, unsure=True, repeat=1)
                await persist(lambda: self.outbox.retry(delivery, later), self.ways.clock)
                return _Outcome.WAITS
            case Verdict.REPEAT:
                repeated = replace(delivery, repeat=2)
                await persist(lambda: self.outbox.resume(repeated), self.ways.clock)
                self._tell("delivery.possible_repeat", repeated)
                return await self._send_again(repeated, parts)
            case Verdict.GIVE_UP:
                return await self._give_up(delivery, "sent twice; the channel cannot tell whether it arrived")

    async def _send_again(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> _Outcome:
        return await self._send_part(replace(delivery, state=DeliveryState.SENDING), parts)

    async def _labelled(
        self, delivery: Delivery, parts: Sequence[Mapping[str, object]]
    ) -> Sequence[Mapping[str, object]]:
        """The parts with the label on the one in flight, or in front of it where it would not fit."""
        label = Text(text=self.ways.texts.say("possible_repeat"))
        if len(parts) == 1:
            fragments = (label, *delivery.reply.fragments)
            labelled = self.ways.sending.render(delivery.chat, replace(delivery.reply, fragments=fragments))
            if len(labelled) == 1:
                return labelled
        for part in self.ways.sending.render(delivery.chat, Reply(fragments=(label,))):
            await self.ways.sending.send(delivery.chat, part, delivery.label_key())
        return parts

    async def _not_sent(self, delivery: Delivery, error: SendError) -> _Outcome:
        reason = f"{type(error).__name__}: {error}"
        unsure = isinstance(error, Unsure) or delivery.state is DeliveryState.UNSURE
        if isinstance(error, Unsure):
            # Settled at once; only a channel that cannot tell makes the part wait.
            at: int | None = 0
        else:
            now, jitter = self.ways.clock.now(), self.ways.chance.jitter()
            created = delivery.created_at or now
            at = retry_at(error, attempt=delivery.attempt, created=created, now=now, jitter=jitter)
        if at is None:
            return await self._give_up(delivery, reason)
        later = Retry(not_before=at, error=reason, unsure=unsure, repeat=delivery.repeat)
        await persist(lambda: self.outbox.retry(delivery, later), self.ways.clock)
        self._tell("delivery.retry", delivery, error=reason)
        return _Outcome.WAITS

    async def _give_up(self, delivery: Delivery, reason: str) -> _Outcome:
        """The reply ends here; what it had left is not sent, and an operator finds all of it in the outbox."""
        await persist(lambda: self.outbox.dead(delivery, reason), self.ways.clock)
        self._tell("delivery.dead", delivery, error=reason)
        return _Outcome.DEAD

    def _tell(self, kind: str, delivery: Delivery, **data: object) -> None:
        log.info(kind, delivery=delivery.id, part=delivery.part, attempt=delivery.attempt, **data)
        fields = {"delivery": delivery.id, "part": delivery.part, "attempt": delivery.attempt, **data}
        self.ways.bus.emit(Telemetry(kind=kind, chat=delivery.chat, turn=delivery.turn, data=fields))
