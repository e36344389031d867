"""Stop 8: one delivery on its way out, part by part.

Whether a part was sent is never guessed: an unsure one is settled with the channel before it goes out again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

import structlog

from core.bus import Bus, Telemetry
from core.decide.retry import Verdict, falls_back, retry_at, settle
from core.domain.delivery import Delivery, DeliveryState, Receipt
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unsure
from core.ports import Chance, Clock, Forms, Outbox, Retry, Sending
from core.runtime.pacer import Pacer
from core.runtime.patience import persist
from core.runtime.rendering import Parts, Rendering
from core.runtime.replacing import NoPlace, clear_away, put_into
from core.runtime.supervised import BROKEN, supervised

log = structlog.get_logger(__name__)

# How long a channel that cannot tell is left before the part goes out again, labelled as a possible repeat.
RESEND_AFTER_MS = 10 * 60 * 1000


class Fate(Enum):
    """What became of a delivery for now. MORE: what is left of it goes out as soon as the pace allows."""

    SENT = auto()
    MORE = auto()
    WAITS = auto()
    DEAD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What a sender works with beside the store."""

    sending: Sending
    pacer: Pacer
    clock: Clock
    chance: Chance
    bus: Bus

    def tell(self, kind: str, delivery: Delivery, **data: object) -> None:
        """Log it, and let whoever counts know."""
        log.info(kind, delivery=delivery.id, part=delivery.part, attempt=delivery.attempt, **data)
        fields = {"delivery": delivery.id, "part": delivery.part, "attempt": delivery.attempt, **data}
        self.bus.emit(Telemetry(kind=kind, chat=delivery.chat, turn=delivery.turn, data=fields))

    def next_attempt(self, delivery: Delivery, error: SendError) -> int | None:
        """When the part goes out again; None when it never does. What may have been sent is first settled at once."""
        if isinstance(error, Unsure) and delivery.attempt <= 1:
            return 0
        now, jitter = self.clock.now(), self.chance.jitter()
        created = delivery.created_at or now
        return retry_at(error, attempt=delivery.attempt, created=created, now=now, jitter=jitter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Takes deliveries out. Any number side by side, but one a chat: the lanes see to that."""

    outbox: Outbox
    forms: Forms
    rendering: Rendering
    ways: Ways

    async def deliver(self, delivery: Delivery) -> Fate:
        """The parts that are left of one delivery; the call for the first of them is counted by the pacer already."""
        fate = await supervised(self._deliver(delivery), "delivery.broke")
        if fate is BROKEN:
            # A bug met this reply, and would meet it again: it is listed as dead, and the chat goes on.
            return await self._give_up(delivery, "an internal error: see the log", lost=False)
        return fate

    async def _deliver(self, delivery: Delivery) -> Fate:
        parts = await self.rendering.parts(delivery)
        while True:
            fate = await self._send_part(delivery, parts)
            if fate is not Fate.SENT or delivery.part + 1 >= len(parts):
                return fate
            state = DeliveryState.SENDING
            delivery = replace(delivery, part=delivery.part + 1, attempt=1, repeat=0, state=state, edits=None)

    async def _send_part(self, delivery: Delivery, parts: Parts) -> Fate:
        try:
            if delivery.state is DeliveryState.UNSURE:
                return await self._settle(delivery, parts)
            return await self._send(delivery, parts)
        except SendError as error:
            return await self._not_sent(delivery, parts, error)

    async def _send(self, delivery: Delivery, parts: Parts) -> Fate:
        # Every attempt of a repeat carries the label.
        shown = await _labelled(delivery, parts, self.rendering, self.ways) if delivery.repeat > 1 else parts
        part, key = shown[delivery.part], delivery.part_key()
        if delivery.edits is not None:
            return await self._replace(delivery, delivery.edits, part, parts)
        place = await self._begin(delivery, part)
        self.ways.pacer.goes(delivery.chat)
        if place is None:
            return await self._sent(delivery, await self.ways.sending.send(delivery.chat, part, key), parts)
        receipt = await put_into(place, delivery, part, self.ways.sending)
        if isinstance(receipt, NoPlace):
            # The next attempt finds the same and begins anew; that it is an attempt keeps it from doing so for ever.
            raise NotSent("the placeholder cannot become the text")
        return await self._sent(delivery, receipt, parts)

    async def _replace(self, delivery: Delivery, place: Receipt, part: Mapping[str, object], parts: Parts) -> Fate:
        """Edit what is out already. Where that cannot be, the store forgets it first: a new message is no repeatable
        edit any more, and is settled like any other.
        """
        self.ways.pacer.goes(delivery.chat)
        receipt = await put_into(place, delivery, part, self.ways.sending)
        if isinstance(receipt, NoPlace):
            clears = receipt is NoPlace.REFUSED
            await persist(lambda: self.forms.unplaced(delivery, clears=clears), self.ways.clock)
            return Fate.MORE
        return await self._sent(delivery, receipt, parts)

    async def _begin(self, delivery: Delivery, part: Mapping[str, object]) -> Receipt | None:
        """Send what the part is edited into, where the channel works so."""
        first = self.rendering.placeholder(delivery, part)
        if first is None:
            return None
        self.ways.pacer.goes(delivery.chat)
        place = await self.ways.sending.send(delivery.chat, first, delivery.placeholder_key())
        await persist(lambda: self.forms.placed(delivery, place), self.ways.clock)
        await self.ways.pacer.wait(delivery.chat)
        return place

    async def _sent(self, delivery: Delivery, receipt: Receipt | None, parts: Parts) -> Fate:
        more, stored = delivery.part + 1 < len(parts), len(parts) > 1
        later = more and not self.ways.pacer.take(delivery.chat)
        await persist(
            lambda: self.outbox.sent(delivery, receipt, more=more, stored=stored, later=later), self.ways.clock
        )
        self.ways.tell("delivery.sent", delivery)
        if not more:
            await clear_away(delivery, self.ways.sending)
        return Fate.MORE if later else Fate.SENT

    async def _settle(self, delivery: Delivery, parts: Parts) -> Fate:
        match await self._verdict(delivery, parts[delivery.part]):
            case Verdict.SENT:
                return await self._sent(delivery, None, parts)
            case Verdict.SEND:
                return await self._send_again(delivery, parts)
            case Verdict.LEAVE:
                at = self.ways.clock.now() + RESEND_AFTER_MS
                reason = "the channel cannot tell whether this was sent"
                later = Retry(not_before=at, error=reason, unsure=True, repeat=1)
                await persist(lambda: self.outbox.retry(delivery, later), self.ways.clock)
                return Fate.WAITS
            case Verdict.REPEAT:
                self.ways.tell("delivery.possible_repeat", delivery)
                return await self._send_again(replace(delivery, repeat=2), parts)
            case Verdict.GIVE_UP:
                twice = "sent twice; " if delivery.repeat > 1 else ""
                reason = f"{twice}the channel cannot tell whether it arrived"
                return await self._give_up(delivery, reason, lost=False)

    async def _verdict(self, delivery: Delivery, part: Mapping[str, object]) -> Verdict:
        if delivery.edits is not None or self.rendering.placeholder(delivery, part) is not None:
            return Verdict.SEND  # the same edit twice is one, and a placeholder too many says nothing
        settled = await self.ways.sending.settle(delivery.chat, part, delivery.part_key())
        return settle(settled, delivery.repeat, self.ways.sending.manners(delivery.chat).once)

    async def _send_again(self, delivery: Delivery, parts: Parts) -> Fate:
        await persist(lambda: self.outbox.resume(delivery), self.ways.clock)
        again = replace(delivery, state=DeliveryState.SENDING, attempt=delivery.attempt + 1)
        return await self._send_part(again, parts)

    async def _not_sent(self, delivery: Delivery, parts: Parts, error: SendError) -> Fate:
        reason = f"{type(error).__name__}: {error}"
        if falls_back(error, delivery.reply, plain=delivery.plain):
            anew = await self.rendering.anew(delivery, parts, reason)
            await persist(lambda: self.forms.fall_back(delivery, anew), self.ways.clock)
            self.ways.tell("delivery.plain", delivery, error=reason)
            return Fate.MORE
        at = self.ways.next_attempt(delivery, error)
        if at is None:
            return await self._give_up(delivery, reason, lost=not isinstance(error, Unacceptable | Unsure))
        everywhere = isinstance(error, RateLimited) and error.everywhere
        if isinstance(error, RateLimited):
            self.ways.pacer.hold(delivery.chat, at, everywhere=everywhere)
        unsure = isinstance(error, Unsure) or delivery.state is DeliveryState.UNSURE
        later = Retry(not_before=at, error=reason, unsure=unsure, repeat=delivery.repeat, everywhere=everywhere)
        await persist(lambda: self.outbox.retry(delivery, later), self.ways.clock)
        self.ways.tell("delivery.retry", delivery, error=reason)
        return Fate.WAITS

    async def _give_up(self, delivery: Delivery, reason: str, *, lost: bool) -> Fate:
        """The reply ends here; what it had left is not sent, and an operator finds all of it in the outbox."""
        await persist(lambda: self.outbox.dead(delivery, reason, lost=lost), self.ways.clock)
        self.ways.tell("delivery.dead", delivery, error=reason)
        return Fate.DEAD


async def _labelled(delivery: Delivery, parts: Parts, rendering: Rendering, ways: Ways) -> Parts:
    """The parts with the label on the one in flight, or in front of it where it would not fit."""
    labelled = rendering.labelled(delivery) if len(parts) == 1 else None
    if labelled is not None:
        return labelled
    for part in rendering.label(delivery):
        ways.pacer.goes(delivery.chat)
        await ways.sending.send(delivery.chat, part, delivery.label_key())
        await ways.pacer.wait(delivery.chat)
    return parts
