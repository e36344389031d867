"""The writing thread: shared commits, failures that stay alone, locks held by others, and disks that are full."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from core.domain.errors import StoreError, StoreFull, StoreUnusable
from core.store import sqlite
from core.store.sqlite import BATCH_OPERATIONS
from core.store.store import Store, open_sqlite
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, message, new_key
from tests.store.test_opening import ROOT


@pytest.fixture
def store(database: Path, clock: FakeClock) -> Iterator[Store]:
    """A store as it is in earnest: every commit reaches the disk."""
    opened = open_sqlite(database, clock)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def commits() -> Iterator[list[int]]:
    """Grows by one with each commit of any engine."""
    counted: list[int] = []

    def count(conn: Connection) -> None:
        counted.append(1)

    event.listen(Engine, "commit", count)
    yield counted
    event.remove(Engine, "commit", count)


@contextmanager
def busy(group: asyncio.TaskGroup, store: Store) -> Iterator[None]:
    """The writing thread is held up inside the block, so that what is written there waits together."""
    gate = threading.Event()

    def wait(conn: Connection) -> None:
        gate.wait(10)

    group.create_task(store.run(wait))
    try:
        yield
    finally:
        gate.set()


def note(text: str) -> Callable[[Connection], str]:
    """An operation that leaves one row; the same text twice is refused."""

    def write(conn: Connection) -> str:
        conn.exec_driver_sql(
            "INSERT INTO cursors (channel, account, scope, value, moved_at) VALUES ('', '', ?, '', 0)", (text,)
        )
        return text

    return write


def breaks(conn: Connection) -> None:
    """An operation with a bug, behind a write of its own."""
    note("half done")(conn)
    raise ZeroDivisionError("a bug")


async def notes(store: Store) -> list[str]:
    def read(conn: Connection) -> list[str]:
        return [str(row[0]) for row in conn.exec_driver_sql("SELECT scope FROM cursors ORDER BY rowid")]

    return await store.read(read)


async def test_what_waits_together_is_committed_together(store: Store, commits: list[int]) -> None:
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            tasks = [group.create_task(store.run(note(f"{n}"))) for n in range(200)]
            await asyncio.sleep(0)
    assert [task.result() for task in tasks] == [f"{n}" for n in range(200)]
    assert await notes(store) == [f"{n}" for n in range(200)]
    assert len(commits) <= 20


async def test_a_group_is_never_larger_than_its_bound(store: Store, commits: list[int]) -> None:
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            for _ in range(BATCH_OPERATIONS * 3):
                group.create_task(store.run(lambda conn: None))
            await asyncio.sleep(0)
    assert len(commits) >= 4


async def test_what_was_asked_for_first_is_done_first(store: Store) -> None:
    async with asyncio.TaskGroup() as group:
        for n in range(300):
            group.create_task(store.run(note(f"{n}")))
    assert await notes(store) == [f"{n}" for n in range(300)]


async def test_a_commit_is_seen_by_other_processes_before_its_waiter_goes_on(store: Store, database: Path) -> None:
    other = sqlite3.connect(database)
    for n in range(20):
        await store.run(note(f"{n}"))
        assert other.execute("SELECT count(*) FROM cursors").fetchone() == (n + 1,)
    other.close()


async def test_an_operation_that_fails_fails_alone(store: Store) -> None:
    operations = [note("a"), breaks, note("b"), note("a"), note("c"), breaks]
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            results = asyncio.gather(*(store.run(one) for one in operations), return_exceptions=True)
            await asyncio.sleep(0)
        outcome = await results
    assert [one if isinstance(one, str) else type(one).__name__ for one in outcome] == [
        "a",
        "ZeroDivisionError",
        "b",
        "IntegrityError",
        "c",
        "ZeroDivisionError",
    ]
    assert await notes(store) == ["a", "b", "c"]


async def test_an_operation_that_the_database_refuses_fails_alone(store: Store) -> None:

    def wrong(conn: Connection) -> None:
        conn.exec_driver_sql("SELECT * FROM no_such_table")

    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            results = asyncio.gather(store.run(note("a")), store.run(wrong), return_exceptions=True)
            await asyncio.sleep(0)
        outcome = await results
    assert (outcome[0], type(outcome[1])) == ("a", OperationalError)


async def test_a_lone_operation_that_fails_leaves_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        await store.run(breaks)
    assert await notes(store) == []
    assert await store.run(note("next")) == "next"


async def test_an_operation_whose_waiter_went_away_is_done_all_the_same(store: Store) -> None:
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            gone = group.create_task(store.run(note("left behind")))
            stays = group.create_task(store.run(note("stays")))
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
    assert gone.cancelled()
    assert stays.result() == "stays"
    assert await notes(store) == ["left behind", "stays"]


async def test_waiters_that_all_went_away_stop_nothing(store: Store) -> None:
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            tasks = [group.create_task(store.run(one)) for one in (note("a"), breaks, note("b"))]
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
    assert await store.run(note("c")) == "c"
    assert await notes(store) == ["a", "b", "c"]


async def test_closing_finishes_what_waits(database: Path, clock: FakeClock) -> None:
    store = open_sqlite(database, clock)
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            tasks = [group.create_task(store.run(note(f"{n}"))) for n in range(50)]
            await asyncio.sleep(0)
        store.close()
    assert [task.result() for task in tasks] == [f"{n}" for n in range(50)]
    assert stored(database) == 50


async def test_closing_finishes_what_waits_behind_a_failure(database: Path, clock: FakeClock) -> None:
    store = open_sqlite(database, clock)
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            operations = (note("a"), breaks, note("b"))
            results = asyncio.gather(*(store.run(one) for one in operations), return_exceptions=True)
            await asyncio.sleep(0)
        store.close()
        outcome = await results
    assert (outcome[0], type(outcome[1]), outcome[2]) == ("a", ZeroDivisionError, "b")
    assert stored(database) == 2


async def test_writing_after_the_end_is_refused(database: Path, clock: FakeClock) -> None:
    store = open_sqlite(database, clock)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.run(note("late"))


def test_closing_leaves_one_file_behind(database: Path, clock: FakeClock) -> None:
    store = open_sqlite(database, clock)
    asyncio.run(Desk(store).starts("hello"))
    store.close()
    assert sorted(path.name for path in database.parent.glob("parley.db*")) == ["parley.db"]


async def test_reading_goes_on_beside_a_write_that_takes_long(store: Store) -> None:
    await store.run(note("a"))
    async with asyncio.TaskGroup() as group:
        with busy(group, store):
            group.create_task(store.run(note("b")))
            assert await notes(store) == ["a"]


async def test_another_process_finds_its_turn_however_much_is_written_here(store: Store, database: Path) -> None:
    def write_beside() -> int:
        connection = sqlite3.connect(database, isolation_level=None, timeout=5)
        for n in range(20):
            connection.execute("INSERT INTO cursors VALUES ('beside', '', ?, '', 0)", (f"{n}",))
        connection.close()
        return 20

    async def write_on() -> None:
        while True:
            await store.run(lambda conn: note(new_key())(conn))

    async with asyncio.TaskGroup() as group:
        writing = [group.create_task(write_on()) for _ in range(64)]
        assert await asyncio.to_thread(write_beside) == 20
        for task in writing:
            task.cancel()


async def test_sixteen_writers_lose_nothing_to_a_lock_that_another_process_holds(store: Store, database: Path) -> None:
    async def write(writer: int) -> None:
        for n in range(50):
            await store.run(note(f"{writer}.{n}"))

    lags: list[float] = []
    async with locked(database) as unlock, asyncio.TaskGroup() as group:
        asyncio.get_running_loop().call_later(3, unlock)
        watching = group.create_task(watch_lags(lags))
        async with asyncio.TaskGroup() as writing_group:
            for writer in range(16):
                writing_group.create_task(write(writer))
            assert await notes(store) == []
        watching.cancel()
    assert sorted(await notes(store)) == sorted(f"{writer}.{n}" for writer in range(16) for n in range(50))
    assert len(lags) > 100
    assert max(lags) <= 0.5


async def test_a_lock_that_does_not_end_is_told_and_writing_works_again_after_it(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_MS", 50)
    store = open_sqlite(database, clock)
    try:
        async with locked(database):
            with pytest.raises(StoreError, match="locked"):
                await Desk(store).hears("not stored")
        await Desk(store).hears("stored")
        assert await Desk(store).rows("SELECT content FROM inbound") == [("stored",)]
    finally:
        store.close()


async def test_a_file_that_breaks_hangs_nobody_and_work_goes_on_when_it_is_whole_again(store: Store) -> None:
    def breaks_off(conn: Connection) -> None:
        raise DatabaseError("BEGIN", {}, sqlite3.DatabaseError("database disk image is malformed"))

    writing, reading = store.engines()
    async with asyncio.timeout(5):
        for engine, run in ((writing, store.run), (reading, store.read)):
            event.listen(engine, "begin", breaks_off)
            for _ in range(2):
                with pytest.raises(StoreUnusable, match="damaged"):
                    await run(lambda conn: conn.exec_driver_sql("SELECT 1").scalar())
            event.remove(engine, "begin", breaks_off)
            assert await run(lambda conn: conn.exec_driver_sql("SELECT 1").scalar()) == 1


async def test_a_full_store_refuses_and_takes_again_when_there_is_space(store: Store) -> None:
    desk = Desk(store, queued=10_000)
    await bound(store, spare=10)
    stored: list[tuple[str]] = []

    async def fill() -> None:
        for n in range(200):
            await desk.takes(message("x" * 2_000, event_key=f"{n}"))
            stored.append((f"{n}",))

    with pytest.raises(StoreFull, match="free space"):
        await fill()
    assert stored
    assert await desk.rows("SELECT event_key FROM inbound ORDER BY id") == stored
    await bound(store, spare=1_000)
    await desk.takes(message("x" * 2_000, event_key=f"{len(stored)}"))
    assert await desk.rows("SELECT count(*), (SELECT count(*) FROM turns) FROM inbound") == [(len(stored) + 1,) * 2]


def test_a_quota_on_the_file_loses_nothing_that_was_acknowledged(database: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.filler", str(database)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {line.split(" (")[0] for line in report["refusals"]} == {"StoreFull: the store has no space left"}
    assert len(report["refusals"]) == 80
    assert sorted(report["stored"]) == sorted([*report["acknowledged"], "after"])
    assert report["turns"] == len(report["stored"])
    assert report["integrity"] == "ok"


async def bound(store: Store, *, spare: int) -> None:
    """Let the file grow by so many pages and no more."""

    def set_bound(conn: Connection) -> None:
        pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        conn.exec_driver_sql(f"PRAGMA max_page_count = {pages + spare}")

    await store.run(set_bound)


@asynccontextmanager
async def locked(database: Path) -> AsyncIterator[Callable[[], None]]:
    """Another process holds the write lock until the block ends, or until what is given here is called."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.store.locker",
        str(database),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    assert await program.stdout.readline() == b"locked\n"
    close = program.stdin.close
    try:
        yield close
    finally:
        close()
        await program.wait()


async def watch_lags(lags: list[float]) -> None:
    """Note how late the loop is at each hundredth of a second, until cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        ticked: asyncio.Future[None] = loop.create_future()
        loop.call_later(0.01, ticked.set_result, None)
        await ticked
        lags.append(loop.time() - began - 0.01)


def stored(database: Path) -> int:
    connection = sqlite3.connect(database)
    try:
        return int(connection.execute("SELECT count(*) FROM cursors").fetchone()[0])
    finally:
        connection.close()
