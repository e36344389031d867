"""Turns on the store: each method is one operation, each writing one a commit."""

from collections.abc import Mapping, Sequence

from core.domain.history import Exchange
from core.domain.step import Stamped
from core.ports import Claim, Ending, Finished, Lease
from core.store import claims, endings, turns
from core.store.admission import Holder
from core.store.store import Store


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

    async def append(self, claim: Claim, steps: Sequence[Stamped], *, frame: int = 0) -> bool:
        """Add to the log."""
        return await self._store.run(turns.append, claim, steps, frame)

    async def finish(self, claim: Claim, ending: Ending, *, key: str, send_now: bool) -> Finished:
        """Close the turn and free the chat."""
        return await self._store.run(endings.finish, claim, ending, key, send_now, self._holder.texts)

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
