"""The lanes of stop 8: replies leave each chat in order, and a slow chat delays no other."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery
from core.domain.errors import StoreError
from core.ports import Lane, LaneFacts, Wakeup
from core.runtime.delivery import Dispatch, Fate
from core.runtime.lanes import Lanes
from core.runtime.patience import persist

POLL_S = 1.0
LEAVE_POLL_S = 0.05


class Sender:
    """Sends the deliveries of some lanes. Without a running `run` it only collects wake-ups."""

    def __init__(self, dispatch: Dispatch, lanes: Sequence[Lane], facts: LaneFacts, wakeup: Wakeup) -> None:
        self._dispatch = dispatch
        self._facts = facts
        self._pacer = dispatch.ways.pacer
        self._lanes = Lanes(lanes, dispatch, facts)
        self._wakeup = wakeup
        self._busy: dict[int, ChatKey | None] = {}
        self._again: set[int] = set()
        self._group: asyncio.TaskGroup | None = None

    async def join(self, lane: Lane) -> None:
        """Serve one more lane from now on; what an earlier sender has left there goes first."""
        for chat_row in await self._lanes.add(lane):
            self._start(chat_row, None)

    async def leave(self, lane: Lane, within_s: float) -> None:
        """Serve it no more. Returns when nothing of it is on its way out, or after so many seconds."""
        self._lanes.drop(lane)
        until = self._dispatch.ways.clock.now() + within_s * 1000
        while any(chat and lane.serves(chat) for chat in self._busy.values()):
            if self._dispatch.ways.clock.now() > until:
                return
            await self._dispatch.ways.clock.sleep(LEAVE_POLL_S)

    def reserve(self, chat_row: int, chat: ChatKey) -> bool:
        """Take a chat's empty lane, and its next call, for a reply about to be committed; False where it has to wait.

        `hand_over` or `give_back` must follow.
        """
        if self._group is None or chat_row in self._busy or not self._lanes.serve(chat) or not self._pacer.take(chat):
            return False
        self._busy[chat_row] = chat
        return True

    def hand_over(self, delivery: Delivery) -> None:
        """The reserved lane's delivery is committed as sending: send it."""
        if self._group is not None:
            drain = self._drain(delivery.chat_row, delivery.chat, delivery)
            self._group.create_task(drain, name=f"send {delivery.id}")

    def give_back(self, chat_row: int) -> None:
        """Nothing came of the reservation."""
        chat = self._busy.pop(chat_row, None)
        if chat is not None:
            self._pacer.give_back(chat)
        if chat_row in self._again:
            self._start(chat_row, chat)

    def wake(self, chat_row: int, chat: ChatKey) -> None:
        """A delivery of this chat was committed; nothing happens when another process serves it."""
        if self._lanes.serve(chat):
            self._start(chat_row, chat)

    def _start(self, chat_row: int, chat: ChatKey | None) -> None:
        if self._group is None or chat_row in self._busy:
            self._again.add(chat_row)
            return
        self._busy[chat_row] = chat
        self._again.discard(chat_row)
        self._group.create_task(self._drain(chat_row, chat, None), name=f"send in chat {chat_row}")

    async def run(self) -> None:
        """Until cancelled. What the last sender left goes first: no new reply overtakes what is due by then."""
        left = await self._lanes.open()
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for chat_row in left:
                    self._start(chat_row, None)
                await self._poll()
        finally:
            self._group = None
            self._lanes.close()
            self._busy.clear()

    async def _poll(self) -> None:
        while True:
            for lane in self._lanes:
                with suppress(StoreError):
                    for chat_row in await self._dispatch.outbox.due(lane):
                        self._start(chat_row, None)
            await self._wakeup.wait(POLL_S)

    async def _drain(self, chat_row: int, chat: ChatKey | None, first: Delivery | None) -> None:
        """Send what the chat has, in order and at its pace, until it is empty or has to wait."""
        try:
            if chat is None:
                chat = await persist(lambda: self._facts.place(chat_row), self._dispatch.ways.clock)
            delivery = first or await self._next(chat_row, chat)
            while delivery is not None:
                self._again.discard(chat_row)
                fate = await self._dispatch.deliver(delivery)
                ended = fate in (Fate.SENT, Fate.DEAD)
                if fate is Fate.WAITS or (ended and delivery is first and chat_row not in self._again):
                    break
                delivery = await self._next(chat_row, chat)
        finally:
            self._busy.pop(chat_row, None)
        if chat_row in self._again:
            self._start(chat_row, chat)

    async def _next(self, chat_row: int, chat: ChatKey) -> Delivery | None:
        """The chat's next delivery, as soon as a call may go there. Only then is it marked as being sent."""
        await self._pacer.wait(chat)
        delivery = await persist(lambda: self._dispatch.outbox.next(chat_row), self._dispatch.ways.clock)
        if delivery is None:
            self._pacer.give_back(chat)
        return delivery
