"""Stop 8: replies go out, one lane a chat, in order. A slow chat delays no other.

Whether a part was sent is never guessed: an unsure one is settled with the channel before it goes out again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import structlog

from core.bus import Bus, Telemetry
from core.decide.retry import retry_at
from core.decide.texts import Texts
from core.domain.chat import ChatKey
from core.domain.delivery import Delivery, DeliveryState, Receipt, Settled
from core.domain.errors import SendError, StoreError, Unsure
from core.domain.message import Reply, Text
from core.ports import Chance, Clock, Lane, Outbox, Retry, Sending, Wakeup
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


class Sender:
    """Sends the deliveries of some lanes. Without a running `run` it only collects wake-ups."""

    def __init__(self, outbox: Outbox, lanes: Sequence[Lane], wakeup: Wakeup, ways: Ways) -> None:
        self._outbox = outbox
        self._lanes = tuple(lanes)
        self._wakeup = wakeup
        self._ways = ways
        self._busy: set[int] = set()
        self._again: set[int] = set()
        self._group: asyncio.TaskGroup | None = None

    def reserve(self, chat_row: int, chat: ChatKey) -> bool:
        """Take a chat's empty lane for a reply about to be committed; `hand_over` or `give_back` must follow."""
        if self._group is None or chat_row in self._busy or not any(lane.serves(chat) for lane in self._lanes):
            return False
        self._busy.add(chat_row)
        return True

    def hand_over(self, delivery: Delivery) -> None:
        """The reserved lane's delivery is committed as sending: send it."""
        if self._group is not None:
            self._group.create_task(self._drain(delivery.chat_row, delivery), name=f"send {delivery.id}")

    def give_back(self, chat_row: int) -> None:
        """Nothing came of the reservation."""
        self._busy.discard(chat_row)
        if chat_row in self._again:
            self.wake(chat_row)

    def wake(self, chat_row: int) -> None:
        """A delivery of this chat was committed."""
        if self._group is None or chat_row in self._busy:
            self._again.add(chat_row)
            return
        self._busy.add(chat_row)
        self._again.discard(chat_row)
        self._group.create_task(self._drain(chat_row, None), name=f"send in chat {chat_row}")

    async def run(self) -> None:
        """Until cancelled. What was being sent when the last sender ended is settled first."""
        for lane in self._lanes:
            await self._persist(partial(self._outbox.unsettle, lane))
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await self._poll()
        finally:
            self._group = None
            self._busy.clear()

    async def _poll(self) -> None:
        while True:
            for lane in self._lanes:
                with suppress(StoreError):
                    for chat_row in await self._outbox.due(lane):
                        self.wake(chat_row)
            await self._wakeup.wait(POLL_S)

    async def _drain(self, chat_row: int, first: Delivery | None) -> None:
        """Send what the chat has, in order, until it is empty or has to wait."""
        try:
            delivery = first or await self._persist(lambda: self._outbox.next(chat_row))
            while delivery is not None:
                self._again.discard(chat_row)
                done = await self._deliver(delivery)
                if first is delivery and done and chat_row not in self._again:
                    break
                delivery = await self._persist(lambda: self._outbox.next(chat_row)) if done else None
        finally:
            self._busy.discard(chat_row)
        if chat_row in self._again:
            self.wake(chat_row)

    async def _deliver(self, delivery: Delivery) -> bool:
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
            kept = await self._persist(lambda: self._outbox.stored_parts(delivery))
            if kept:
                return kept
        parts = self._ways.sending.render(delivery.chat, delivery.reply)
        if len(parts) > 1:
            await self._persist(lambda: self._outbox.keep_parts(delivery, parts))
        return parts

    async def _send_part(self, delivery: Delivery, parts: Sequence[Mapping[str, object]], stored: bool) -> bool:
        part, more = parts[delivery.part], delivery.part + 1 < len(parts)
        try:
            receipt = await self._settled(delivery, part)
            if receipt is None:
                receipt = await self._ways.sending.send(delivery.chat, part, delivery.part_key())
        except SendError as error:
            return await self._not_sent(delivery, error)
        await self._persist(lambda: self._outbox.sent(delivery, receipt, more=more, stored=stored))
        self._tell("delivery.sent", delivery)
        return True

    async def _settled(self, delivery: Delivery, part: Mapping[str, object]) -> Receipt | None:
        """The receipt of an unsure part that was sent after all; None when it is to be sent now."""
        if delivery.state is not DeliveryState.UNSURE:
            return None
        settled = await self._ways.sending.settle(delivery.chat, part, delivery.part_key())
        if settled is Settled.SENT:
            return Receipt(message_id="")
        if settled is Settled.UNKNOWN and not delivery.not_before:
            raise Unsure("the channel cannot tell whether this was sent")
        await self._persist(lambda: self._outbox.resume(delivery))
        if settled is Settled.UNKNOWN:
            self._tell("delivery.possible_repeat", delivery)
            labelled = Reply(fragments=(Text(text=self._ways.texts.say("possible_repeat")), *delivery.reply.fragments))
            repeat = self._ways.sending.render(delivery.chat, replace(delivery.reply, fragments=labelled.fragments))
            return await self._ways.sending.send(delivery.chat, repeat[0], delivery.part_key())
        return None

    async def _not_sent(self, delivery: Delivery, error: SendError) -> bool:
        now = self._ways.clock.now()
        unsure = isinstance(error, Unsure)
        at = retry_at(
            error,
            attempt=delivery.attempt,
            created=delivery.created_at or now,
            now=now,
            jitter=self._ways.chance.jitter(),
        )
        reason = f"{type(error).__name__}: {error}"
        if at is None:
            await self._persist(lambda: self._outbox.dead(delivery, reason))
            self._tell("delivery.dead", delivery, error=reason)
            return True
        if unsure:
            # Settled at once; only a channel that cannot tell makes the part wait.
            at = max(at, now + RESEND_AFTER_MS) if delivery.state is DeliveryState.UNSURE else 0
        retry = Retry(not_before=at, error=reason, unsure=unsure)
        await self._persist(lambda: self._outbox.retry(delivery, retry))
        self._tell("delivery.retry", delivery, error=reason)
        return False

    def _tell(self, kind: str, delivery: Delivery, **data: object) -> None:
        log.info(kind, delivery=delivery.id, part=delivery.part, attempt=delivery.attempt, **data)
        fields = {"delivery": delivery.id, "part": delivery.part, "attempt": delivery.attempt, **data}
        self._ways.bus.emit(Telemetry(kind=kind, chat=delivery.chat, turn=delivery.turn, data=fields))

    async def _persist(self, operation: Callable[[], Awaitable[ResultT]]) -> ResultT:
        return await persist(operation, self._ways.clock)
