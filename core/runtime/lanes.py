"""Which lanes a sender serves: they may change while it runs."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial

from core.domain.chat import ChatKey
from core.ports import Lane, LaneFacts
from core.runtime.delivery import Dispatch
from core.runtime.patience import persist


class Lanes:
    """The lanes of this moment. Before the first delivery of one goes out, what an earlier sender left is looked at."""

    def __init__(self, lanes: Sequence[Lane], dispatch: Dispatch, facts: LaneFacts) -> None:
        self._lanes = tuple(lanes)
        self._dispatch = dispatch
        self._facts = facts
        self._open = False

    def __iter__(self) -> Iterator[Lane]:
        return iter(self._lanes)

    def serve(self, chat: ChatKey) -> bool:
        """Whether one of them does."""
        return any(lane.serves(chat) for lane in self._lanes)

    async def open(self) -> list[int]:
        """Begin with those that there are. Gives the chats that have something to send."""
        self._open = True
        left: list[int] = []
        async with asyncio.TaskGroup() as group:
            for lane in self._lanes:
                group.create_task(self._obey(lane), name=f"floor of {lane.channel}")
            for lane in self._lanes:
                left += await self._take_over(lane)
        return left

    def close(self) -> None:
        """Nothing is sent any more."""
        self._open = False

    async def add(self, lane: Lane) -> list[int]:
        """One more. Gives its chats that have something to send; `open` gives them where it was not called yet."""
        if lane in self._lanes:
            return []
        left: list[int] = []
        if self._open:
            await self._obey(lane)
            left = await self._take_over(lane)
        self._lanes = (*self._lanes, lane)
        return left

    def drop(self, lane: Lane) -> None:
        """One less."""
        self._lanes = tuple(one for one in self._lanes if one != lane)

    async def _take_over(self, lane: Lane) -> list[int]:
        """What was being sent may have been sent."""
        await persist(partial(self._dispatch.outbox.unsettle, lane), self._dispatch.ways.clock)
        return list(await persist(partial(self._dispatch.outbox.due, lane), self._dispatch.ways.clock))

    async def _obey(self, lane: Lane) -> None:
        """What the platform asked of an earlier process still holds."""
        until = await persist(lambda: self._facts.floor(lane), self._dispatch.ways.clock)
        self._dispatch.ways.pacer.hold_account(lane.channel, lane.account, until)
