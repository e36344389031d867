"""The embedded engine: one file, one writing thread that commits in groups, readers beside it.

The thread drains whatever waits, for at most 10 ms or 512 operations, into one transaction: under load many messages
share one fsync, and a lone message waits for nobody. Full synchronisation: what was committed survives a power cut.
"""

import asyncio
import errno
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from core.domain.errors import StoreBroken, StoreError, StoreFull, StoreUnusable
from core.store.sql import as_store_errors

ResultT = TypeVar("ResultT")

BATCH_S = 0.010
BATCH_OPERATIONS = 512
# After back-to-back batches other processes get a gap to write in; without one they starve.
GAP_S = 0.0005
BUSY_MS = 30_000
READERS = 2
SWITCH_TRIES = 500
SWITCH_PAUSE_S = 0.01
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(slots=True, eq=False)
class _Operation(Generic[ResultT]):
    run: Callable[[Connection], ResultT]
    future: asyncio.Future[ResultT]
    loop: asyncio.AbstractEventLoop
    result: ResultT | None = None
    error: BaseException | None = None


def connect(path: Path, clock: Callable[[], int], *, writes: bool, synchronous: str = "FULL") -> Engine:
    """An engine on the file. `clock` becomes the database's clock: SQLite runs inside this process anyway."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"check_same_thread": False, "timeout": BUSY_MS / 1000},
        pool_size=READERS,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        if not isinstance(connection, sqlite3.Connection):
            raise StoreUnusable(f"{path} is opened with an unexpected driver")
        connection.isolation_level = None  # transactions are begun by us, below
        for pragma in (f"busy_timeout={BUSY_MS}", f"synchronous={synchronous}", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        _write_ahead(connection)
        connection.create_function("parley_now", 0, clock)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite does not wait for the lock that this takes, so we do."""
    for left in reversed(range(SWITCH_TRIES)):
        try:
            if connection.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",):
                return
        except sqlite3.OperationalError as exc:
            # The low byte is the kind of error. No space stays so however long we wait.
            if not left or exc.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
        time.sleep(SWITCH_PAUSE_S)


def create_file(path: Path) -> None:
    """The store's file, readable by its owner alone. Raises StoreFull or StoreUnusable with what to change."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError as exc:
        if exc.errno in NO_SPACE:
            raise StoreFull(f"{path}: the store has no space left ({exc.strerror}): free space on its disk") from exc
        raise StoreUnusable(
            f"{path}: cannot open the store ({exc.strerror}): check the folder's owner and mode"
        ) from exc


class SqliteStore:
    """Runs operations on one SQLite file. `run` and `read` may be called from any task of one event loop."""

    def __init__(self, path: Path, clock: Callable[[], int], *, synchronous: str = "FULL") -> None:
        self._writing = connect(path, clock, writes=True, synchronous=synchronous)
        self._reading = connect(path, clock, writes=False, synchronous=synchronous)
        self._asked: queue.SimpleQueue[_Operation[object] | None] = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read_all, name="store-read", daemon=True) for _ in range(READERS)
        ]
        self._waiting: queue.SimpleQueue[_Operation[object] | None] = queue.SimpleQueue()
        self._broken: Future[None] = Future()
        self._thread = threading.Thread(target=self._write_all, name="store-write", daemon=True)
        for thread in (self._thread, *self._readers):
            thread.start()

    @property
    def engines(self) -> tuple[Engine, Engine]:
        """The writing and the reading one."""
        return self._writing, self._reading

    def in_turn(self, key: Hashable) -> AbstractAsyncContextManager[None]:
        """At once: operations are run in the order in which they came."""
        return nullcontext()

    async def write(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        """Run it in a transaction and return after the commit. Cancelling the waiter does not cancel the operation.

        The operation may run twice (when another one of its group failed), so it must be pure but for its connection.
        """
        if not self._thread.is_alive():
            raise StoreError("the store is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ResultT] = loop.create_future()
        self._waiting.put(_Operation(run=operation, future=future, loop=loop))  # type: ignore[arg-type]
        return await future

    async def lasts(self) -> None:
        """Until the disk fails. Raises StoreBroken then; so does every write that comes later."""
        await asyncio.shield(asyncio.wrap_future(self._broken))

    async def read(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        """Run it on a snapshot that holds all that was committed before this call, beside all writing."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ResultT] = loop.create_future()
        self._asked.put(_Operation(run=operation, future=future, loop=loop))  # type: ignore[arg-type]
        return await future

    def close(self) -> None:
        """Finish what waits, then let go of the file."""
        self._waiting.put(None)
        self._thread.join()
        for _ in self._readers:
            self._asked.put(None)
        for reader in self._readers:
            reader.join()
        self._writing.dispose()
        self._reading.dispose()

    def _read_all(self) -> None:
        while (first := self._asked.get()) is not None:
            batch, more = self._asked_so_far(first)
            try:
                with as_store_errors(), self._reading.begin() as conn:
                    for operation in batch:
                        _run_apart(conn, operation, nullcontext())
            except Exception as exc:  # supervisor: whatever failed belongs to the operations, the thread must live on
                _fail(batch, exc)
            _deliver(batch)
            if not more:
                return

    def _asked_so_far(self, first: "_Operation[object]") -> tuple[list["_Operation[object]"], bool]:
        """What waits before a snapshot is taken shares it: none of it can miss what was committed before it came."""
        batch = [first]
        while len(batch) < BATCH_OPERATIONS:
            try:
                following = self._asked.get_nowait()
            except queue.Empty:
                return batch, True
            if following is None:
                return batch, False
            batch.append(following)
        return batch, True

    def _write_all(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            more = self._commit(batch)
            _deliver(batch)
            if not more:
                return
            if not self._waiting.empty():
                time.sleep(GAP_S)

    def _commit(self, batch: list["_Operation[object]"]) -> bool:
        """One transaction for as much as waits; False when the store is to be closed after it.

        When an operation raised, all are run again, each in a savepoint, so that only the guilty one fails.
        """
        if self._broken.done():
            _fail(batch, self._broken.exception() or StoreError("the store is closed"))
            return True
        more = True
        for run in (self._run_waiting, _run_each):
            try:
                with as_store_errors(), self._writing.begin() as conn:
                    more = run(conn, batch) and more
            except Exception as exc:  # supervisor: whatever failed belongs to the operations, the thread must live on
                _fail(batch, exc)
                if isinstance(exc, StoreBroken):
                    self._broken.set_exception(exc)
                if isinstance(exc, StoreError):
                    break
            else:
                break
        return more

    def _run_waiting(self, conn: Connection, batch: list["_Operation[object]"]) -> bool:
        until = time.monotonic() + BATCH_S
        batch[0].result = batch[0].run(conn)
        while len(batch) < BATCH_OPERATIONS and time.monotonic() < until:
            try:
                following = self._waiting.get_nowait()
            except queue.Empty:
                return True
            if following is None:
                return False
            batch.append(following)
            following.result = following.run(conn)
        return True


def _run_each(conn: Connection, batch: Sequence["_Operation[object]"]) -> bool:
    for operation in batch:
        operation.result, operation.error = None, None
        _run_apart(conn, operation, conn.begin_nested())
    return True


def _run_apart(conn: Connection, operation: "_Operation[object]", apart: AbstractContextManager[object]) -> None:
    try:
        with as_store_errors(), apart:
            operation.result = operation.run(conn)
    except Exception as exc:  # supervisor: the error is the operation's own result
        operation.error = exc


def _fail(batch: Sequence["_Operation[object]"], error: BaseException) -> None:
    for operation in batch:
        operation.error = error


def _deliver(batch: Sequence["_Operation[object]"]) -> None:
    """Hand all results over in one call into the loop."""

    def settle() -> None:
        for operation in batch:
            if operation.future.done():
                continue
            if operation.error is not None:
                operation.future.set_exception(operation.error)
            else:
                operation.future.set_result(operation.result)

    loop = batch[0].loop
    if not loop.is_closed():
        loop.call_soon_threadsafe(settle)
