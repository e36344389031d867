"""The ports of core on the store: each method is one operation, each writing one a commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.delivery import Delivery, Receipt
from core.domain.history import Exchange
from core.domain.message import Dropped, Inbound, Reply
from core.domain.step import Stamped
from core.ports import Accepted, Claim, Ending, Finished, Lane, Lease, PendingCommand, QueueView, Retry
from core.store import chats, claims, inbox, outbox, turns
from core.store.inbox import Admission
from core.store.store import Store


class StoredInbox:
    """Inbox on the store."""

    def __init__(self, store: Store, admission: Admission) -> None:
        self._store = store
        self._admission = admission

    async def accept(self, event: Inbound | Dropped, *, key: str, slot: bool) -> Accepted:
        """Store and decide in one commit."""
        owner = self._admission.owner if slot else None
        return await self._store.run(inbox.accept, event, replace(self._admission, key=key, owner=owner))

    async def commands(self) -> Sequence[PendingCommand]:
        """Commands that nobody has performed yet."""
        return await self._store.read(inbox.pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who takes leases, and for how long."""

    owner: str
    lease_ms: int


class StoredTurns:
    """Turns on the store."""

    def __init__(self, store: Store, holder: Holder) -> None:
        self._store = store
        self._holder = holder

    async def claim(self, most: int) -> Sequence[Claim]:
        """The oldest ready turns whose chats are free."""
        return await self._store.run(claims.claim, self._holder.owner, self._holder.lease_ms, most)

    async def history(self, claim: Claim, since: int) -> Sequence[Exchange]:
        """The chat's log after turn `since`."""
        return await self._store.read(turns.history, claim, since)

    async def append(self, claim: Claim, steps: Sequence[Stamped]) -> bool:
        """Add to the log."""
        return await self._store.run(turns.append, claim, steps)

    async def finish(self, claim: Claim, ending: Ending, *, key: str, send_now: bool) -> Finished:
        """Close the turn and free the chat."""
        return await self._store.run(turns.finish, claim, ending, key, send_now)

    async def release(self, claim: Claim) -> None:
        """Give an unfinished turn back."""
        await self._store.run(claims.release, claim)

    async def renew(self) -> Mapping[int, Lease]:
        """Prolong every lease of this process."""
        return await self._store.run(claims.renew, self._holder.owner, self._holder.lease_ms)

    async def void_leases(self) -> int:
        """Whatever ran before this process runs no more."""
        return await self._store.run(claims.void_leases)


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

    async def sent(self, delivery: Delivery, receipt: Receipt, *, more: bool, stored: bool) -> None:
        """Record a receipt."""
        await self._store.run(outbox.sent, delivery, receipt, more, stored)

    async def retry(self, delivery: Delivery, retry: Retry) -> None:
        """Leave the part for later."""
        await self._store.run(outbox.retry, delivery, retry)

    async def dead(self, delivery: Delivery, error: str) -> None:
        """Give the delivery up."""
        await self._store.run(outbox.dead, delivery, error)

    async def answer(self, command: PendingCommand, reply: Reply, *, key: str) -> None:
        """Answer a command and close it."""
        await self._store.run(outbox.answer, command, reply, key)

    async def unsettle(self, lane: Lane) -> int:
        """What was being sent may have been sent."""
        return await self._store.run(outbox.unsettle, lane)


class StoredChats:
    """ChatSettings on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def model(self, chat_row: int) -> str | None:
        """The model chosen for this chat."""
        return await self._store.read(chats.model, chat_row)

    async def set_model(self, chat_row: int, name: str | None) -> None:
        """Choose a model for this chat, or none."""
        await self._store.run(chats.set_model, chat_row, name)

    async def queue(self, chat_row: int) -> QueueView:
        """What runs and what waits."""
        return await self._store.read(chats.queue, chat_row)
