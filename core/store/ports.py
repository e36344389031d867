"""The ports of core on the store: each method is one operation, each writing one a commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.decide.texts import Texts
from core.domain.chat import ChatKey
from core.domain.history import Exchange
from core.domain.message import Dropped, Inbound
from core.domain.step import CallId, Stamped
from core.domain.wait import Question
from core.ports import Accepted, Claim, Ending, Finished, Lease, PendingCommand, QueueView
from core.store import chats, claims, endings, inbox, turns, waits
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

    def __init__(self, store: Store, holder: Holder, texts: Texts) -> None:
        self._store = store
        self._holder = holder
        self._texts = texts

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
        return await self._store.run(endings.finish, claim, ending, key, send_now, self._texts)

    async def ask(self, claim: Claim, seq: int, question: Question, *, key: str) -> bool:
        """Ask a person."""
        return await self._store.run(waits.ask, claim, seq, question, key, self._texts)

    async def answers(self, claim: Claim) -> Mapping[CallId, str]:
        """What people said so far."""
        return await self._store.read(waits.answers, claim.turn)

    async def park(self, claim: Claim) -> Finished:
        """Give the chat up until an answer comes."""
        return await self._store.run(endings.park, claim)

    async def signals(self, claim: Claim) -> int | None:
        """The chat's signals now."""
        return await self._store.read(endings.signals, claim)

    async def release(self, claim: Claim) -> None:
        """Give an unfinished turn back."""
        await self._store.run(claims.release, claim)

    async def renew(self, chat_rows: Sequence[int]) -> Mapping[int, Lease]:
        """Prolong the leases of this process on these chats."""
        return await self._store.run(claims.renew, self._holder.owner, self._holder.lease_ms, chat_rows)

    async def void_leases(self) -> int:
        """Whatever ran before this process runs no more."""
        return await self._store.run(claims.void_leases)


class StoredWaits:
    """Waits on the store."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts

    async def tick(self) -> Sequence[tuple[int, ChatKey]]:
        """Expire and remind; an idle gateway only reads."""
        if not await self._store.read(waits.anything_due):
            return ()
        return await self._store.run(waits.tick, self._texts)


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
