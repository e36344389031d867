"""A bot with a store of its own for what it has to keep, and a clock that only notes how long somebody would wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from channels.telegram.channel import TelegramChannel
from core.domain.errors import StoreFull
from core.domain.message import Dropped, Inbound
from core.ports import Accepted, Clock
from core.runtime.ambient import SystemClock
from tests.fakes.platform import Changes
from tests.fakes.telegram import TelegramServer
from tests.fakes.telegram_bot import bot_on

ANNA, BEN, GROUP = 42, 43, -1001


class Impatient(SystemClock):
    """Nobody waits long; `waits` is what was waited for, in order."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.ahead = 0

    def now(self) -> int:
        """Ahead by what the test says."""
        return super().now() + self.ahead

    async def sleep(self, seconds: float) -> None:
        """A moment; the time of it passes all the same."""
        self.waits.append(seconds)
        self.ahead += int(1000 * seconds)
        await asyncio.sleep(0.001)


class Held(Impatient):
    """Whoever waits does so until the test has said `go` as often."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Semaphore(0)

    async def sleep(self, seconds: float) -> None:
        """Until it may go on."""
        await super().sleep(seconds)
        await self.go.acquire()


class Kept:
    """Events and cursors as a store keeps them, over restarts of the bot; `refuses` so many first."""

    def __init__(self, refuses: int = 0) -> None:
        self.events: dict[str, Inbound | Dropped] = {}
        self.cursors: dict[str, str] = {}
        self.repeats = 0
        self._refuses = refuses
        self._changes = Changes()

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """One commit: the event and its cursor."""
        if self._refuses:
            self._refuses -= 1
            raise StoreFull("free some space")
        if event.cursor is not None:
            self.cursors[event.cursor.scope] = event.cursor.value
        known = event.event_key in self.events
        self.repeats += known
        self.events.setdefault(event.event_key, event)
        self._changes.happened()
        return Accepted(inbound=len(self.events), chat_row=1, duplicate=known)

    async def cursor(self, scope: str) -> str | None:
        """What was kept."""
        return self.cursors.get(scope)

    @property
    def said(self) -> list[Inbound]:
        """Without what was dropped."""
        return [one for one in self.events.values() if isinstance(one, Inbound)]

    async def has(self, count: int) -> list[Inbound]:
        """What people said, once there is so much."""
        await self._changes.until(lambda: len(self.said) >= count, within=10, otherwise=lambda: str(self.events))
        return self.said

    async def dropped(self, reason: str) -> None:
        """Once something was dropped for this."""
        await self._changes.until(
            lambda: any(isinstance(one, Dropped) and one.reason == reason for one in self.events.values()),
            within=10,
            otherwise=lambda: str(self.events),
        )


@asynccontextmanager
async def serving() -> AsyncIterator[TelegramServer]:
    """Anna and Ben in private and in a group."""
    async with TelegramServer() as server:
        server.world.person(ANNA, "Anna")
        server.world.person(BEN, "Ben")
        server.world.group(GROUP, "Workshop", ANNA, BEN)
        yield server


@asynccontextmanager
async def awake(
    server: TelegramServer, workspace: Path, kept: Kept, clock: Clock | None = None, **settings: object
) -> AsyncIterator[TelegramChannel]:
    """The bot listens while the block lasts, as a process that is killed at its end."""
    channel = bot_on(server, workspace, clock or Impatient(), cursor=kept.cursor, settings=settings)
    try:
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(channel.listen(kept.accept))
            yield channel
            listening.cancel()
    finally:
        await channel.close()
