"""A disk that fills up under a whole gateway with many people in it."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.bus import Accept
from core.domain.errors import StoreFull
from core.domain.message import Dropped, Inbound
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.ports import Accepted
from gateway.wiring import Gateway
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import Event, FakePlatform
from tests.faults.echo import echo
from tests.processes.small_disk import mounted
from tests.store.test_writer import bound

CHATS = 20
LONG = "x" * 20_000
STORED = "SELECT chats.chat_id FROM inbound JOIN chats ON chats.id = inbound.chat WHERE inbound.content LIKE 'second%'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What can run out: the folder of the store, and how it is filled up and freed."""

    folder: Path
    fills_up: Callable[[Gateway], Awaitable[None]]
    is_freed: Callable[[Gateway], Awaitable[None]]


@asynccontextmanager
async def small_disk(folder: Path) -> AsyncIterator[Space]:
    """32 megabytes."""
    with mounted(folder, "32M") as disk:

        async def fills_up(gateway: Gateway) -> None:
            disk.fills_up()

        async def is_freed(gateway: Gateway) -> None:
            disk.has_space()

        yield Space(folder=folder, fills_up=fills_up, is_freed=is_freed)


@asynccontextmanager
async def bounded_file(folder: Path) -> AsyncIterator[Space]:
    """The store's own file may not grow."""

    async def fills_up(gateway: Gateway) -> None:
        await bound(gateway.world.store, spare=3)

    async def is_freed(gateway: Gateway) -> None:
        # Refused as well, as long as it shares its commit with what does not fit.
        freed = False
        while not freed:
            with suppress(StoreFull):
                await bound(gateway.world.store, spare=100_000)
                freed = True

    yield Space(folder=folder, fills_up=fills_up, is_freed=is_freed)


SPACES: dict[str, Callable[[Path], AbstractAsyncContextManager[Space]]] = {
    "a small disk": small_disk,
    "a bounded file": bounded_file,
}


class Held:
    """An echo that says nothing before it is let go."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self._echo = echo()

    @property
    def name(self) -> str:
        """Its own."""
        return "held"

    @property
    def size(self) -> ModelSize:
        """Much fits."""
        return ModelSize(window=1_000_000, output=1_000)

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """What was said, without its tail."""
        await self.free.wait()
        answered = await self._echo.answer(prompt, on_text)
        return replace(answered, text=answered.text.rstrip("x"))


class Counting(FakeChannel):
    """Counts what it handed over, taken or not."""

    handed_over = 0

    async def listen(self, accept: Accept) -> None:
        """As ever."""

        async def count(event: Inbound | Dropped) -> Accepted:
            try:
                return await accept(event)
            finally:
                type(self).handed_over += 1

        await super().listen(count)


@pytest.mark.parametrize("kind", SPACES)
async def test_nothing_is_lost_and_nothing_is_said_twice_when_the_disk_was_full_for_a_while(
    house: House, platform: FakePlatform, tmp_path: Path, kind: str
) -> None:
    clock, model, folder = FakeClock(), Held(), tmp_path / "disk"
    folder.mkdir()

    class Here(Counting):
        pass

    async with SPACES[kind](folder) as space:
        shutil.copy(house.database, folder)
        full = replace(house, folder=folder, clock=clock, models=[model], channel=Here)
        async with opened(full) as gateway:
            for chat in range(CHATS):
                await platform.person("anna", chat=f"c{chat}").says("first")
            await space.fills_up(gateway)
            model.free.set()
            events = [platform.says("anna", f"second {LONG}", chat=f"c{chat}") for chat in range(CHATS)]
            await passing(gateway, clock, until(lambda: Here.handed_over == 2 * CHATS))
            refused = [event for event in events if platform.events.is_open(event)]
            assert refused
            assert stored(full.database) == {chat_of(event) for event in events if event not in refused}
            await space.is_freed(gateway)
            platform.events.redeliver()
            for chat in range(CHATS):
                for answer in ("re: first", "re: second"):
                    await passing(gateway, clock, platform.hears(answer, chat=f"c{chat}", within=60))
        assert len(platform.ledger.lines()) == 2 * CHATS
        with closing(sqlite3.connect(full.database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0)


def chat_of(event: Event) -> object:
    return event.body["chat"]


def stored(database: Path) -> set[object]:
    with closing(sqlite3.connect(database)) as connection:
        return {chat for (chat,) in connection.execute(STORED)}
