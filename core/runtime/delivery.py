"""Stop 8: one delivery on its way out, part by part.

Whether a part was sent is never guessed: an unsure one is settled with the channel before it goes out again.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from core.bus import Bus, Telemetry
from core.decide.retry import retry_at
from core.decide.texts import Texts
from core.domain.delivery import Delivery, DeliveryState, Receipt, Settled
from core.domain.errors import SendError, Unsure
from core.domain.message import Reply, Text
from core.ports import Chance, Clock, Outbox, Retry, Sending
from core.runtime.patience import persist

ResultT = TypeVar("ResultT")

log = structlog.get_logger(__name__)

POLL_S = 1.0
# How long a channel that cannot tell is left before the part goes out again, labelled as a possible repeat.
RESEND_AFTER_MS = 10 * 60 * 1000


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
        parts = await self._parts(delivery)
        stored = len(parts) > 1
        while True:
            if not await self._send_part(delivery, parts, stored):
                return False
            if delivery.part + 1 >= len(parts):
                return True
            delivery = replace(delivery, part=delivery.part + 1, attempt=1, state=DeliveryState.SENDING)

    async def _parts(self, delivery: Delivery) -> Sequence[Mapping[str, object]]:
        if delivery.part or delivery.attempt > 1 or delivery.state is DeliveryState.UNSURE:
            kept = await self._persist(lambda: self.outbox.stored_parts(delivery))
            if kept:
                return kept
        parts = self.ways.sending.render(delivery.chat, delivery.reply)
        if len(parts) > 1:
            await self._persist(lambda: self.outbox.keep_parts(delivery, parts))
        return parts

    async def _send_part(self, delivery: Delivery, parts: Sequence[Mapping[str, object]], stored: bool) -> bool:
        part, more = parts[delivery.part], delivery.part + 1 < len(parts)
        try:
            receipt = await self._settled(delivery, part)
            if receipt is None:
                receipt = await self.ways.sending.send(delivery.chat, part, delivery.part_key())
        except SendError as error:
            return await self._not_sent(delivery, error)
        await self._persist(lambda: self.outbox.sent(delivery, receipt, more=more, stored=stored))
        self._tell("delivery.sent", delivery)
        return True

    async def _settled(self, delivery: Delivery, part: Mapping[str, object]) -> Receipt | None:
        """The receipt of an unsure part that was sent after all; None when it is to be sent now."""
        if delivery.state is not DeliveryState.UNSURE:
            return None
        settled = await self.ways.sending.settle(delivery.chat, part, delivery.part_key())
        if settled is Settled.SENT:
            return Receipt(message_id="")
        if settled is Settled.UNKNOWN and not delivery.not_before:
            raise Unsure("the channel cannot tell whether this was sent")
        await self._persist(lambda: self.outbox.resume(delivery))
        if settled is Settled.UNKNOWN:
            self._tell("delivery.possible_repeat", delivery)
            labelled = Reply(fragments=(Text(text=self.ways.texts.say("possible_repeat")), *delivery.reply.fragments))
            repeat = self.ways.sending.render(delivery.chat, replace(delivery.reply, fragments=labelled.fragments))
            return await self.ways.sending.send(delivery.chat, repeat[0], delivery.part_key())
        return None

    async def _not_sent(self, delivery: Delivery, error: SendError) -> bool:
        now = self.ways.clock.now()
        unsure = isinstance(error, Unsure)
        at = retry_at(
            error,
            attempt=delivery.attempt,
            created=delivery.created_at or now,
            now=now,
            jitter=self.ways.chance.jitter(),
        )
        reason = f"{type(error).__name__}: {error}"
        if at is None:
            await self._persist(lambda: self.outbox.dead(delivery, reason))
            self._tell("delivery.dead", delivery, error=reason)
            return True
        if unsure:
            # Settled at once; only a channel that cannot tell makes the part wait.
            at = max(at, now + RESEND_AFTER_MS) if delivery.state is DeliveryState.UNSURE else 0
        retry = Retry(not_before=at, error=reason, unsure=unsure)
        await self._persist(lambda: self.outbox.retry(delivery, retry))
        self._tell("delivery.retry", delivery, error=reason)
        return False

    def _tell(self, kind: str, delivery: Delivery, **data: object) -> None:
        log.info(kind, delivery=delivery.id, part=delivery.part, attempt=delivery.attempt, **data)
        fields = {"delivery": delivery.id, "part": delivery.part, "attempt": delivery.attempt, **data}
        self.ways.bus.emit(Telemetry(kind=kind, chat=delivery.chat, turn=delivery.turn, data=fields))

    async def _persist(self, operation: Callable[[], Awaitable[ResultT]]) -> ResultT:
        return await persist(operation, self.ways.clock)
