"""Keeps the calls to a platform within its paces. A chat that has to wait holds up no other of its account."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

from core.decide.pace import after_call, at_call, free_at, without_call
from core.domain.chat import ChatKey
from core.domain.pace import Pace, Scope
from core.ports import Clock

# Buckets that are full again say nothing; they are cleared away when there are this many.
MANY_BUCKETS = 1_000

_Place = tuple[str, ...]


class Pacer:
    """Counts the calls of this process: one bucket for each pace of a chat or account, and what platforms asked for."""

    def __init__(self, paces: Callable[[ChatKey], Sequence[Pace]], clock: Clock) -> None:
        self._paces = paces
        self._clock = clock
        self._full_at: dict[tuple[_Place, Pace], float] = {}
        self._floors: dict[_Place, int] = {}
        self._gates: defaultdict[_Place, asyncio.Lock] = defaultdict(asyncio.Lock)

    def take(self, chat: ChatKey) -> bool:
        """Count a call to this chat if it may go at this moment; False, and nothing counted, when it may not."""
        paces = self._paces(chat)
        now = self._clock.now()
        if self._free_at(chat, paces, Scope.CHAT) > now or self._free_at(chat, paces, Scope.ACCOUNT) > now:
            return False
        self._tidy(now)
        for pace in paces:
            bucket = (_place(chat, pace.scope), pace)
            self._full_at[bucket] = after_call(self._full_at.get(bucket, 0), pace, now)
        return True

    async def wait(self, chat: ChatKey) -> None:
        """Until a call to this chat may go; it is counted. First come, first served among the chats of an account."""
        while not self.take(chat):
            await self._until_free(chat, Scope.CHAT)
            async with self._gates[_place(chat, Scope.ACCOUNT)]:
                await self._until_free(chat, Scope.ACCOUNT)
                if self.take(chat):
                    return

    def goes(self, chat: ChatKey) -> None:
        """A call that was counted goes out now: the next one keeps its distance from this moment."""
        now = self._clock.now()
        for pace in self._paces(chat):
            bucket = (_place(chat, pace.scope), pace)
            self._full_at[bucket] = at_call(self._full_at.get(bucket, 0), pace, now)

    def give_back(self, chat: ChatKey) -> None:
        """Nothing came of a call that was counted."""
        for pace in self._paces(chat):
            bucket = (_place(chat, pace.scope), pace)
            if bucket in self._full_at:
                self._full_at[bucket] = without_call(self._full_at[bucket], pace)

    def hold(self, chat: ChatKey, until: int, *, everywhere: bool) -> None:
        """The platform wants no call before this moment: to this chat, or from the whole account."""
        self._hold(_place(chat, Scope.ACCOUNT if everywhere else Scope.CHAT), until)

    def hold_account(self, channel: str, account: str, until: int) -> None:
        """What an earlier process was asked for by the platform."""
        self._hold((channel, account), until)

    def _hold(self, place: _Place, until: int) -> None:
        self._tidy(self._clock.now())
        self._floors[place] = max(until, self._floors.get(place, 0))

    async def _until_free(self, chat: ChatKey, scope: Scope) -> None:
        while (at := self._free_at(chat, self._paces(chat), scope)) > (now := self._clock.now()):
            await self._clock.sleep((at - now) / 1000)

    def _free_at(self, chat: ChatKey, paces: Sequence[Pace], scope: Scope) -> float:
        place, now = _place(chat, scope), self._clock.now()
        buckets = [(self._full_at.get((place, pace), 0), pace) for pace in paces if pace.scope is scope]
        return max([self._floors.get(place, 0), *(free_at(full_at, pace, now) for full_at, pace in buckets)])

    def _tidy(self, now: int) -> None:
        if len(self._full_at) > MANY_BUCKETS:
            self._full_at = {bucket: at for bucket, at in self._full_at.items() if at > now}
        if len(self._floors) > MANY_BUCKETS:
            self._floors = {place: until for place, until in self._floors.items() if until > now}


def _place(chat: ChatKey, scope: Scope) -> _Place:
    account = (chat.channel, chat.account)
    return account if scope is Scope.ACCOUNT else (*account, chat.chat_id)
