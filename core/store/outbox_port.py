"""What goes out, on the store: each method is one operation, each writing one a commit."""

from collections.abc import Mapping, Sequence

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery, Receipt
from core.domain.message import Reply
from core.ports import Anew, Claim, Lane, PendingCommand, Retry
from core.store import commands, dying, forms, outbox, saying
from core.store.store import Store


class StoredOutbox:
    """Outbox on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def due(self, lane: Lane) -> Sequence[int]:
        """Chats with something to send now."""
        return await self._store.read(outbox.due, lane)

    async def next(self, chat_row: int) -> Delivery | None:
        """The oldest open delivery, marked as sending."""
        return await self._store.run(outbox.next_delivery, chat_row)

    async def resume(self, delivery: Delivery) -> None:
        """An unsure part goes out again."""
        await self._store.run(outbox.resume, delivery)

    async def keep_parts(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> None:
        """Keep the rendered parts of a long reply."""
        await self._store.run(outbox.keep_parts, delivery, parts)

    async def stored_parts(self, delivery: Delivery) -> Sequence[Mapping[str, object]]:
        """What was kept."""
        return await self._store.read(outbox.stored_parts, delivery)

    async def sent(
        self, delivery: Delivery, receipt: Receipt | None, *, more: bool, stored: bool, later: bool = False
    ) -> None:
        """Record a receipt."""
        await self._store.run(outbox.sent, delivery, receipt, more, stored, later)

    async def retry(self, delivery: Delivery, retry: Retry) -> None:
        """Leave the part for later."""
        await self._store.run(outbox.retry, delivery, retry)

    async def dead(self, delivery: Delivery, error: str, *, lost: bool = False) -> None:
        """Give the delivery up."""
        await self._store.run(dying.dead, delivery.id, delivery.chat_row, error, lost)

    async def answer(self, command: PendingCommand, reply: Reply, *, key: str) -> None:
        """Answer a command and close it."""
        await self._store.run(commands.answer, command, reply, key)

    async def unsettle(self, lane: Lane) -> int:
        """What was being sent may have been sent."""
        return await self._store.run(outbox.unsettle, lane)


class StoredForms:
    """Forms on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def placed(self, delivery: Delivery, receipt: Receipt) -> None:
        """The placeholder is out."""
        await self._store.run(forms.placed, delivery, receipt)

    async def unplaced(self, delivery: Delivery, *, clears: bool) -> None:
        """The part goes out as a new message."""
        await self._store.run(forms.unplaced, delivery, clears)

    async def fall_back(self, delivery: Delivery, anew: Anew) -> None:
        """The rest goes out as literal text."""
        await self._store.run(forms.fall_back, delivery, anew)


class StoredLaneFacts:
    """LaneFacts on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def place(self, chat_row: int) -> ChatKey:
        """The chat of a row."""
        return await self._store.read(outbox.place, chat_row)

    async def floor(self, lane: Lane) -> int:
        """Until when the platform wants no call."""
        return await self._store.read(outbox.floor, lane)


class StoredSayings:
    """Sayings on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def say(self, claim: Claim, reply: Reply, *, key: str, to: ChatKey | None) -> int | None:
        """Write a reply of a running turn."""
        return await self._store.run(saying.say, claim, reply, key, to)
