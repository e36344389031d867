"""Bursts of messages end by the clock; then there is something to claim."""

import asyncio

from core.ports import Clock, Wakeup


class Bursts:
    """Hints when a burst may be over. A lost hint costs a second: whoever claims looks that often anyway."""

    def __init__(self, wakeup: Wakeup, clock: Clock) -> None:
        self._wakeup = wakeup
        self._clock = clock
        self._group: asyncio.TaskGroup | None = None

    def look_in(self, milliseconds: int) -> None:
        """A turn waits so long for more of the same, unless more comes."""
        if self._group is not None:
            self._group.create_task(self._look(milliseconds + 1), name="look for a burst")

    async def run(self) -> None:
        """Until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await asyncio.Event().wait()
        finally:
            self._group = None

    async def _look(self, milliseconds: int) -> None:
        await self._clock.sleep(milliseconds / 1000)
        self._wakeup.set()
