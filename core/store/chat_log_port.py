"""ChatLog on the store."""

from collections.abc import Sequence

from core.domain.chat import Principal
from core.domain.session import Session
from core.domain.turn import Usage
from core.ports import LastTurn
from core.store import last_turn, sessions, spending
from core.store.store import Store


class StoredChatLog:
    """ChatLog on the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def sessions(self, chat_row: int) -> Sequence[Session]:
        """The newest sessions."""
        return await self._store.read(sessions.sessions, chat_row)

    async def used_since(self, chat_row: int, since: int) -> Usage:
        """What models were paid for since then."""
        return await self._store.read(spending.used_since, chat_row, since)

    async def used_by(self, person: Principal, since: int) -> Usage:
        """What models were paid for by this person's turns since then."""
        return await self._store.read(spending.used_by, person, since)

    async def used_here(self, chat_row: int) -> Usage:
        """What models were paid for in the current session."""
        return await self._store.read(spending.used_here, chat_row)

    async def last_turn(self, chat_row: int) -> LastTurn | None:
        """The newest turn that can be seen."""
        return await self._store.read(last_turn.last_turn, chat_row)
