"""Waits on the store."""

from collections.abc import Sequence

from core.domain.chat import ChatKey
from core.domain.texts import Texts
from core.store import expiry, outage
from core.store.store import Store


class StoredWaits:
    """Waits on the store."""

    def __init__(self, store: Store, texts: Texts) -> None:
        self._store = store
        self._texts = texts

    async def tick(self) -> Sequence[tuple[int, ChatKey]]:
        """Expire, remind and announce; an idle gateway only reads."""
        due = [one for one in (expiry, outage) if await self._store.read(one.anything_due)]
        if not due:
            return ()
        return [touched for one in due for touched in await self._store.run(one.tick, self._texts)]
