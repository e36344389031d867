"""The second engine: one PostgreSQL for any number of processes, each operation a transaction of its own.

What was committed survives a power cut only where the server syncs its log, so a server that does not is refused.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

import asyncpg
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from core.domain.errors import StoreError, StoreUnusable
from core.store.sql import as_store_errors

ResultT = TypeVar("ResultT")

POOL: Final = 10
CONNECT_S: Final = 10
# An operation takes milliseconds; whatever takes this long hangs, and its locks hold up others.
STATEMENT_MS: Final = 30_000
IDLE_MS: Final = 60_000
DRIVER: Final = "postgresql+asyncpg"
# Settings of a server that lose what was committed when the power goes.
_UNSAFE: Final = (("fsync", ("off",)), ("synchronous_commit", ("off", "local")), ("full_page_writes", ("off",)))


def connect(url: str, clock: Callable[[], int] | None = None) -> AsyncEngine:
    """An engine on the database. With a `clock` that one is the database's in every transaction, for tests.

    Raises StoreUnusable for what is no address of a PostgreSQL.
    """
    try:
        address = make_url(url)
    except ArgumentError:
        raise StoreUnusable("the store's url cannot be read: write postgresql://user@host/database") from None
    if address.get_backend_name() != "postgresql":
        raise StoreUnusable(f"the store's url begins with {address.drivername}: only postgresql:// is known")
    settings = {
        "application_name": "parley",
        "statement_timeout": str(STATEMENT_MS),
        "idle_in_transaction_session_timeout": str(IDLE_MS),
    }
    engine = create_async_engine(
        address.set(drivername=DRIVER),
        pool_size=POOL,
        max_overflow=0,
        pool_timeout=STATEMENT_MS / 1000,
        # Every statement is asked for by its own constant text: as many prepared ones are kept as there are.
        connect_args={"server_settings": settings, "timeout": CONNECT_S, "prepared_statement_cache_size": 500},
    )
    if clock is not None:

        @event.listens_for(engine.sync_engine, "begin")
        def begin(conn: Connection) -> None:
            conn.exec_driver_sql("SELECT set_config('parley.now_ms', $1, true)", (str(clock()),))

    return engine


@asynccontextmanager
async def opened(
    url: str, clock: Callable[[], int] | None, prepare: Callable[[Connection], None]
) -> AsyncIterator["PostgresStore"]:
    """The database, checked and prepared, for as long as the block lasts."""
    engine = PostgresStore(connect(url, clock))
    try:
        await engine.write(require_durable)
        await engine.write(prepare)
        yield engine
    finally:
        await engine.close()


@dataclass(slots=True, eq=False)
class _Queue:
    """Those who wait for one key, the first of them holding the lock."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0


class PostgresStore:
    """Runs operations on one database. `run` and `read` may be called from any task of one event loop."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._queues: dict[Hashable, _Queue] = {}
        self._running: set[asyncio.Task[object] | None] = set()

    @property
    def engines(self) -> tuple[Engine, Engine]:
        """The same one twice: readers have no engine of their own here."""
        return self._engine.sync_engine, self._engine.sync_engine

    @asynccontextmanager
    async def in_turn(self, key: Hashable) -> AsyncIterator[None]:
        """One after the other for each key: transactions side by side would come to a row in whatever order."""
        queue = self._queues.setdefault(key, _Queue())
        queue.length += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.length -= 1
            if not queue.length:
                del self._queues[key]

    async def write(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        """Run it in a transaction and return after the commit. Cancelling the waiter does not cancel the operation.

        It runs a second time when the server asked for that (a deadlock), so it must be pure but for its connection.
        """
        return await asyncio.shield(self._write(operation))

    async def read(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        """Run it on a snapshot that holds all that was committed before this call, beside all writing."""
        with _as_store_errors():
            async with self._reading().begin() as conn:
                return await conn.run_sync(operation)

    async def lasts(self) -> None:
        """Until cancelled: a server that breaks is waited for, since what it acknowledged it has kept."""
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        """Finish what was begun, then let go of all connections."""
        while running := [task for task in self._running if task is not None]:
            await asyncio.wait(running)
        await self._engine.dispose()

    async def _write(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        task = asyncio.current_task()
        self._running.add(task)
        try:
            try:
                return await self._once(operation)
            except DBAPIError as error:
                if not _asks_for_another_try(error):
                    raise
                return await self._once(operation)
        finally:
            self._running.discard(task)

    async def _once(self, operation: Callable[[Connection], ResultT]) -> ResultT:
        with _as_store_errors():
            async with self._engine.begin() as conn:
                return await conn.run_sync(operation)

    def _reading(self) -> AsyncEngine:
        return self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


@contextmanager
def _as_store_errors() -> Iterator[None]:
    """A server that cannot be reached is an error of the operating system here, and so is a pool that is empty."""
    try:
        with as_store_errors():
            yield
    except (OSError, PoolTimeout) as error:
        raise StoreError(f"the store does not answer: {error}") from error


def _asks_for_another_try(error: DBAPIError) -> bool:
    """Nothing was done, and the same again may well pass."""
    driver = error.orig.__cause__ if error.orig else None
    return isinstance(driver, asyncpg.DeadlockDetectedError | asyncpg.SerializationError)


def require_durable(conn: Connection) -> None:
    """Raises StoreUnusable for a server that may lose what it has committed."""
    for setting, unsafe in _UNSAFE:
        value = conn.exec_driver_sql(f"SHOW {setting}").scalar()
        if value in unsafe:
            raise StoreUnusable(
                f"the PostgreSQL server runs with {setting} = {value} and may lose what it acknowledged: "
                f"set {setting} = on and reload it"
            )
