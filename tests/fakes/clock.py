"""A clock that moves when a test says so."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

ResultT = TypeVar("ResultT")


class FakeClock:
    """Starts at a fixed moment. Sleepers wake, in the order of their times, when `advance` passes them."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        self._now = now
        self._sleepers: list[tuple[int, asyncio.Future[None]]] = []

    def now(self) -> int:
        """Milliseconds."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Until the clock has moved that far."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + round(seconds * 1000), future))
        await future

    async def run_until(self, done: Coroutine[None, None, ResultT], *, step: float = 0.5) -> ResultT:
        """Move on, step by step, until this has ended; what others do in threads gets real time between two steps."""
        async with asyncio.TaskGroup() as group:
            task = group.create_task(done)
            while not task.done():
                await self.advance(step)
                await asyncio.wait([task], timeout=0.005)
        return task.result()

    def advance_now(self, milliseconds: int) -> None:
        """Move on where nobody sleeps."""
        self._now += milliseconds

    async def advance(self, seconds: float) -> None:
        """Move on, and let everybody who wakes run once."""
        self._now += round(seconds * 1000)
        due = sorted((sleeper for sleeper in self._sleepers if sleeper[0] <= self._now), key=lambda one: one[0])
        self._sleepers = [sleeper for sleeper in self._sleepers if sleeper[0] > self._now]
        for _, future in due:
            if not future.done():
                future.set_result(None)
        await asyncio.sleep(0)
