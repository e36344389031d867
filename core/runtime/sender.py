"""The lanes of stop 8: replies leave each chat in order, and a slow chat delays no other."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery
from core.domain.errors import StoreError
from core.ports import Clock, Lane, Wakeup
from core.runtime.delivery import Dispatch
from core.runtime.patience import persist

POLL_S = 1.0


class Sender:
    """Sends the deliveries of some lanes. Without a running `run` it only collects wake-ups."""

    def __init__(self, dispatch: Dispatch, lanes: Sequence[Lane], wakeup: Wakeup, clock: Clock) -> None:
        self._dispatch = dispatch
        self._outbox = dispatch.outbox
        self._lanes = tuple(lanes)
        self._wakeup = wakeup
        self._clock = clock
        self._busy: set[int] = set()
        self._again: set[int] = set()
        self._group: asyncio.TaskGroup | None = None

    def reserve(self, chat_row: int, chat: ChatKey) -> bool:
        """Take a chat's empty lane for a reply about to be committed; `hand_over` or `give_back` must follow."""
        if self._group is None or chat_row in self._busy or not self._serves(chat):
            return False
        self._busy.add(chat_row)
        return True

    def hand_over(self, delivery: Delivery) -> None:
        """The reserved lane's delivery is committed as sending: send it."""
        if self._group is not None:
            self._group.create_task(self._drain(delivery.chat_row, delivery), name=f"send {delivery.id}")

    def give_back(self, chat_row: int) -> None:
        """Nothing came of the reservation."""
        self._busy.discard(chat_row)
        if chat_row in self._again:
            self._start(chat_row)

    def wake(self, chat_row: int, chat: ChatKey) -> None:
        """A delivery of this chat was committed; nothing happens when another process serves it."""
        if self._serves(chat):
            self._start(chat_row)

    def _serves(self, chat: ChatKey) -> bool:
        return any(lane.serves(chat) for lane in self._lanes)

    def _start(self, chat_row: int) -> None:
        if self._group is None or chat_row in self._busy:
            self._again.add(chat_row)
            return
        self._busy.add(chat_row)
        self._again.discard(chat_row)
        self._group.create_task(self._drain(chat_row, None), name=f"send in chat {chat_row}")

    async def run(self) -> None:
        """Until cancelled. What the last sender left goes first: no new reply overtakes what is due by then."""
        left: list[int] = []
        for lane in self._lanes:
            await persist(partial(self._outbox.unsettle, lane), self._clock)
            left += await persist(partial(self._outbox.due, lane), self._clock)
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for chat_row in left:
                    self._start(chat_row)
                await self._poll()
        finally:
            self._group = None
            self._busy.clear()

    async def _poll(self) -> None:
        while True:
            for lane in self._lanes:
                with suppress(StoreError):
                    for chat_row in await self._outbox.due(lane):
                        self._start(chat_row)
            await self._wakeup.wait(POLL_S)

    async def _drain(self, chat_row: int, first: Delivery | None) -> None:
        """Send what the chat has, in order, until it is empty or has to wait."""
        try:
            delivery = first or await persist(lambda: self._outbox.next(chat_row), self._clock)
            while delivery is not None:
                self._again.discard(chat_row)
                done = await self._dispatch.deliver(delivery)
                if first is delivery and done and chat_row not in self._again:
                    break
                delivery = await persist(lambda: self._outbox.next(chat_row), self._clock) if done else None
        finally:
            self._busy.discard(chat_row)
        if chat_row in self._again:
            self._start(chat_row)
