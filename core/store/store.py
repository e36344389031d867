"""Opening a store, and running operations on it whatever its engine is."""

import importlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, inspect, text

from core.domain.errors import StoreError, StoreUnusable
from core.ports import Clock
from core.store.lock import FileLock
from core.store.sql import as_store_errors
from core.store.sqlite import SqliteStore, connect, create_file

P = ParamSpec("P")
T = TypeVar("T")

# The newest migration; a store that has it is opened without loading the migration library.
HEAD = "0001"

_NOT_OURS = "{path} is not a store of Parley: move it away, or name another file as path in [store]"


class Store:
    """The one store of a gateway. Operations are plain functions of a connection."""

    def __init__(self, engine: SqliteStore) -> None:
        self._engine = engine

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
        """Finish what waits and let go of the file."""
        self._engine.close()


def open_sqlite(path: Path, clock: Clock, *, relaxed: bool = False) -> Store:
    """The store in this file, made or upgraded when need be. `relaxed` may lose the last commits in a power cut."""
    create_file(path)
    upgrade(path)
    return Store(SqliteStore(path, clock.now, synchronous="NORMAL" if relaxed else "FULL"))


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
            tables = inspect(conn).get_table_names()
            if not tables:
                return None
            if "alembic_version" not in tables:
                raise StoreUnusable("it is not a database of ours")
            found = conn.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except StoreUnusable as exc:
        if "not a database" in str(exc):
            raise StoreUnusable(_NOT_OURS.format(path=path)) from exc
        raise StoreUnusable(f"{path}: {exc}") from exc
    finally:
        engine.dispose()
    if found is not None and found > HEAD:
        raise StoreUnusable(
            f"{path} was written by a newer Parley (schema {found}, this one knows {HEAD}): upgrade Parley"
        )
    return None if found is None else str(found)
