"""Hints that the store may hold work."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.store.store import Store, open_sqlite
from core.store.wakeup import POLL_S, LocalWakeup, watch
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk


@pytest.fixture
async def watched(store: Store, database: Path, clock: FakeClock) -> AsyncIterator[LocalWakeup]:
    """A wake-up that is hinted by other connections' commits; its first hint is taken."""
    wakeup = LocalWakeup()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(watch(database, clock, (wakeup,)))
        assert await hinted(wakeup, clock)
        yield wakeup
        task.cancel()


async def hinted(wakeup: LocalWakeup, clock: FakeClock) -> bool:
    """Whether a hint is there after the next two looks."""
    for _ in range(2):
        await asyncio.sleep(0)
        await clock.advance(POLL_S)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(wakeup.wait(60))
        for _ in range(3):
            await asyncio.sleep(0)
        found = waiting.done()
        waiting.cancel()
    return found


async def test_a_hint_wakes_whoever_waits() -> None:
    wakeup = LocalWakeup()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(wakeup.wait(60))
        await asyncio.sleep(0)
        wakeup.set()


async def test_a_hint_that_came_before_is_not_lost_and_counts_once() -> None:
    wakeup = LocalWakeup()
    wakeup.set()
    wakeup.set()
    async with asyncio.timeout(5):
        await wakeup.wait(60)
    async with asyncio.timeout(5):
        await wakeup.wait(0)


async def test_without_a_hint_the_wait_ends_by_itself() -> None:
    async with asyncio.timeout(5):
        await LocalWakeup().wait(0.001)


async def test_a_commit_of_another_store_is_noticed(watched: LocalWakeup, database: Path, clock: FakeClock) -> None:
    assert not await hinted(watched, clock)
    other = open_sqlite(database, clock)
    try:
        await Desk(other).hears("hello")
        assert await hinted(watched, clock)
        assert not await hinted(watched, clock)
    finally:
        other.close()


async def test_reading_hints_at_nothing(watched: LocalWakeup, desk: Desk, clock: FakeClock) -> None:
    await desk.rows("SELECT count(*) FROM chats")
    assert not await hinted(watched, clock)


@pytest.mark.parametrize("name", ["a b", "what?mode=rw", "hash#tag", "per%20cent", "ünï"])
async def test_a_file_of_any_name_can_be_watched(name: str, tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / name).mkdir()
    database = tmp_path / name / "parley.db"
    store = open_sqlite(database, clock)
    wakeup = LocalWakeup()
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(watch(database, clock, (wakeup,)))
            assert await hinted(wakeup, clock)
            await Desk(store).hears("hello")
            assert await hinted(wakeup, clock)
            task.cancel()
    finally:
        store.close()
