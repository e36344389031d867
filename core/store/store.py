"""Opening a store, and running operations on it whatever its engine is."""

import importlib
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, func, inspect, select, text

from core.domain.errors import StoreError, StoreUnusable
from core.ports import Clock
from core.store.lock import FileLock
from core.store.sql import as_store_errors
from core.store.sqlite import SqliteStore, connect, create_file

P = ParamSpec("P")
T = TypeVar("T")

# The newest migration; a store that has it is opened without loading the migration library.
HEAD = "0001"
# The number under which processes that open one database at once wait for each other.
UPGRADE_LOCK: Final = 7_274_013

_NOT_OURS = "{path} is not a store of Parley: move it away, or name another file as path in [store]"


class Runs(Protocol):
    """An engine: where operations run."""

    @property
    def engines(self) -> tuple[Engine, Engine]:
        """The writing and the reading one."""

    def in_turn(self, key: Hashable) -> AbstractAsyncContextManager[None]:
        """Whoever comes with the same key waits for its turn."""

    async def write(self, operation: Callable[[Connection], T]) -> T:
        """Run it, and return after its commit. Cancelling the waiter does not cancel the operation."""

    async def read(self, operation: Callable[[Connection], T]) -> T:
        """Run it on a snapshot of its own."""

    async def lasts(self) -> None:
        """As long as what is written is kept."""


class Store:
    """The one store of a gateway. Operations are plain functions of a connection."""

    def __init__(self, engine: Runs, close: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._close = close

    def in_turn(self, key: Hashable) -> AbstractAsyncContextManager[None]:
        """Whoever comes with the same key waits, in the order of coming; for operations that must not pass each other.

        An engine that runs one after the other needs no such queue.
        """
        return self._engine.in_turn(key)

    async def run(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a writing operation; returns after its commit. Raises StoreError."""
        return await self._engine.write(lambda conn: fn(conn, *args, **kwargs))

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a reading operation on a snapshot of its own."""
        return await self._engine.read(lambda conn: fn(conn, *args, **kwargs))

    async def lasts(self) -> None:
        """As long as what is written is kept. Raises StoreBroken when it no longer is: the process has to end then."""
        await self._engine.lasts()

    def engines(self) -> tuple[Engine, Engine]:
        """The writing and the reading engine, for whoever counts statements."""
        return self._engine.engines

    def close(self) -> None:
        """Finish what waits and let go of the file; `opened_postgres` does that for its own at its end."""
        self._close()


def open_sqlite(path: Path, clock: Clock, *, relaxed: bool = False) -> Store:
    """The store in this file, made or upgraded when need be. `relaxed` may lose the last commits in a power cut."""
    create_file(path)
    upgrade(path)
    engine = SqliteStore(path, clock.now, synchronous="NORMAL" if relaxed else "FULL")
    return Store(engine, engine.close)


@asynccontextmanager
async def opened_postgres(url: str, clock: Clock | None = None) -> AsyncIterator[Store]:
    """The store in this database, made or upgraded when need be, for as long as the block lasts.

    The database's own clock counts, unless a test gives one. Raises StoreUnusable for a server that may lose what it
    committed, StoreError for one that does not answer.
    """
    # Loaded by name: the embedded engine needs none of its libraries, and they may not be installed.
    try:
        postgres = importlib.import_module("core.store.postgres")
    except ModuleNotFoundError as missing:
        raise StoreUnusable(f"a PostgreSQL store needs {missing.name}: install parley-gateway[postgres]") from missing
    async with postgres.opened(url, clock.now if clock else None, _upgrade_database) as engine:
        yield Store(engine)


def _upgrade_database(conn: Connection) -> None:
    """One process at a time: the lock is held until the commit."""
    conn.execute(select(func.pg_advisory_xact_lock(UPGRADE_LOCK)))
    if _revision_of(conn, "the database") != HEAD:
        importlib.import_module("core.store.migrate").run_on(conn)


def upgrade(path: Path) -> None:
    """Bring the file to the newest schema; one process at a time. Refuses a file that is newer than this program."""
    # Whoever starts beside us may be making the file: then the answer comes under the lock.
    with suppress(StoreError):
        if _revision(path) == HEAD:
            return
    lock = FileLock(path.with_name(path.name + ".upgrade.lock"))
    lock.wait()
    try:
        if _revision(path) != HEAD:
            # Loaded by name: alembic costs more time than all else at start and is needed once per version.
            importlib.import_module("core.store.migrate").run(path)
    finally:
        lock.release()


def _revision(path: Path) -> str | None:
    engine = connect(path, lambda: 0, writes=False)
    try:
        with as_store_errors(), engine.connect() as conn:
            return _revision_of(conn, str(path))
    except Newer:
        raise
    except StoreUnusable as exc:
        if "not a database" in str(exc):
            raise StoreUnusable(_NOT_OURS.format(path=path)) from exc
        raise StoreUnusable(f"{path}: {exc}") from exc
    finally:
        engine.dispose()


class Newer(StoreUnusable):
    """A store that a newer program has written."""


def _revision_of(conn: Connection, where: str) -> str | None:
    """The schema that is there; None where there is nothing at all."""
    tables = inspect(conn).get_table_names()
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise StoreUnusable("it is not a database of ours: name an empty one")
    found = conn.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if found is not None and found > HEAD:
        raise Newer(f"{where} was written by a newer Parley (schema {found}, this one knows {HEAD}): upgrade Parley")
    return None if found is None else str(found)
