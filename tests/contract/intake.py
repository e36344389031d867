"""Stands where the bus stands: takes what a channel hands on, refuses it, or keeps the channel waiting."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from channels.contract import Channel
from core.domain.errors import StoreFull
from core.domain.message import Dropped, Inbound
from core.ports import Accepted
from tests.fakes.platform import Changes

PartT = TypeVar("PartT")


class Intake:
    """`refusals` many events are refused first; with `holds` none is answered before `lets_go`."""

    def __init__(self, *, refusals: int = 0, holds: bool = False) -> None:
        self.offered: list[Inbound | Dropped] = []
        self._refusals = refusals
        self._stored: list[Inbound | Dropped] = []
        self._changes = Changes()
        self._open = asyncio.Event()
        if not holds:
            self._open.set()

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """Stored when it returns."""
        self.offered.append(event)
        self._changes.happened()
        await self._open.wait()
        if self._refusals:
            self._refusals -= 1
            raise StoreFull("free some space")
        self._stored.append(event)
        self._changes.happened()
        reason = event.reason if isinstance(event, Dropped) else None
        return Accepted(inbound=len(self._stored), chat_row=1, dropped=reason)

    def lets_go(self) -> None:
        """Answer what waits, and from now on at once."""
        self._open.set()

    async def is_offered(self, count: int) -> list[Inbound | Dropped]:
        """The events, once there are this many, stored or not."""
        await self._changes.until(
            lambda: len(self.offered) >= count, within=5, otherwise=lambda: f"only {self.offered} were offered"
        )
        return self.offered

    async def stores(self, count: int) -> list[Inbound | Dropped]:
        """The stored events, once there are this many."""
        await self._changes.until(
            lambda: len(self._stored) >= count, within=5, otherwise=lambda: f"only {self._stored} were stored"
        )
        return self._stored

    async def hears(self, count: int) -> list[str]:
        """The words of the stored events, None of them dropped."""
        return [event.content for event in await self.stores(count) if isinstance(event, Inbound)]


@asynccontextmanager
async def listening(channel: Channel[PartT], intake: Intake) -> AsyncIterator["asyncio.Task[None]"]:
    """The channel listens for as long as the block lasts."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(channel.listen(intake.accept))
        try:
            yield task
        finally:
            task.cancel()
