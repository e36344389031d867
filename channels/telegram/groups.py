"""What lasts about groups: the new ids of those that became supergroups, and who rules a group."""

import json
from collections.abc import Awaitable, Callable, Mapping

from channels.telegram.calls import Api
from channels.telegram.raw import Raw, id_at, object_at
from core.domain.errors import SendError
from core.domain.message import CursorMove
from core.ports import Clock

SCOPE = "moved"
ADMINS_MS = 600_000
RETRY_MS = 60_000


class Moves:
    """A group that becomes a supergroup gets a new id. Its conversation keeps the old one as its name, for good.

    So history, waits and the operator's lists go on. What is known is one value in the store.
    """

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._unsaved = False

    @property
    def old_ids(self) -> Mapping[str, str]:
        """The name of a conversation by the id that the group has now."""
        return {new: old for old, new in self._new.items()}

    def now_at(self, chat_id: str) -> str:
        """Where a conversation is to be sent to."""
        return self._new.get(chat_id, chat_id)

    def learn(self, old: str, new: str) -> None:
        """A group has another id."""
        name = self.old_ids.get(old, old)
        if name != new and self._new.get(name) != new:
            self._new[name] = new
            self._unsaved = True

    def unsaved(self) -> CursorMove | None:
        """What the store does not know yet; `saved` says that it does."""
        return CursorMove(scope=SCOPE, value=json.dumps(self._new, sort_keys=True)) if self._unsaved else None

    def saved(self, move: CursorMove) -> None:
        """The store has it."""
        self._unsaved = move.value != json.dumps(self._new, sort_keys=True)

    async def recall(self, cursor: Callable[[str], Awaitable[str | None]]) -> None:
        """What the store kept."""
        stored = await cursor(SCOPE)
        known = json.loads(stored) if stored else {}
        if isinstance(known, dict):
            self._new |= {str(old): str(new) for old, new in known.items()}


class Admins:
    """Who rules a group, asked once in ten minutes."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._known: dict[str, tuple[int, frozenset[str]]] = {}

    async def of(self, chat_id: str) -> frozenset[str]:
        """Nobody, where Telegram does not say."""
        until, known = self._known.get(chat_id, (0, frozenset()))
        if self._clock.now() < until:
            return known
        try:
            found = await self._api.call("getChatAdministrators", {"chat_id": chat_id})
        except SendError:
            self._known[chat_id] = (self._clock.now() + RETRY_MS, known)
            return known
        known = frozenset(_ids(found))
        self._known[chat_id] = (self._clock.now() + ADMINS_MS, known)
        return known


def _ids(found: object) -> list[str]:
    members: list[Raw] = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [id_at(object_at(member, "user"), "id") for member in members]
