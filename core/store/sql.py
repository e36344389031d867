"""What both engines share: the clock in SQL, upserts, and errors of the drivers as ours."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import BigInteger, ClauseElement, Connection, CursorResult, Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import Executable
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.util.typing import TupleAny, Unpack

from core.domain.errors import StoreBroken, StoreError, StoreFull, StoreUnusable

BuiltT = TypeVar("BuiltT", bound=Executable)
UpsertInsert = sqlite.Insert | postgresql.Insert

# A full disk says "full", a full quota says "disk I/O error"; both mean: nothing was committed.
_BUSY = ("locked", "busy", "unable to open", "readonly", "connection", "timeout")
_DAMAGED = ("not a database", "malformed")
_FULL = ("database or disk is full", "disk i/o error", "no space left", "could not extend file", "disk full")
# After a failed sync nobody knows what reached the disk, and the system tells of it only once: nothing counts after it.
_NOT_KEPT = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)


class now_ms(FunctionElement[int]):  # noqa: N801 - it stands in statements where a function does
    """The database's clock in milliseconds. A test's store answers with the test's clock."""

    type = BigInteger()
    inherit_cache = True
    name = "now_ms"


@compiles(now_ms, "sqlite")
def _now_sqlite(element: now_ms, compiler: SQLCompiler, **kw: object) -> str:
    return "parley_now()"


@compiles(now_ms, "postgresql")
def _now_postgresql(element: now_ms, compiler: SQLCompiler, **kw: object) -> str:
    return (
        "COALESCE(NULLIF(current_setting('parley.now_ms', true), '')::bigint, "
        "(extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
    )


class PerDialect:
    """One statement, built once for each engine: upserts have no common form in SQLAlchemy."""

    def __init__(self, table: Table, build: Callable[[UpsertInsert], Executable]) -> None:
        self._built: dict[str, Executable] = {
            "sqlite": build(sqlite.insert(table)),
            "postgresql": build(postgresql.insert(table)),
        }

    def on(self, conn: Connection) -> Executable:
        """The statement in the connection's dialect."""
        return self._built[conn.dialect.name]


@lru_cache(maxsize=256)
def _prepared(statement: Executable, dialect: Dialect) -> tuple[str, tuple[str, ...], Mapping[str, object]]:
    assert isinstance(statement, ClauseElement)
    compiled = statement.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler)
    return str(compiled), tuple(compiled.positiontup or ()), compiled.params


def execute(conn: Connection, statement: Executable, binds: Mapping[str, object]) -> CursorResult[Unpack[TupleAny]]:
    """The same as `conn.execute`, at two thirds of the time: for the statements of every message.

    The constant is compiled once for good. Values go to the driver as they are, which is right for the numbers and
    texts that all our columns hold.
    """
    text, names, fixed = _prepared(statement, conn.dialect)
    return conn.exec_driver_sql(text, tuple(binds[name] if name in binds else fixed[name] for name in names))


@contextmanager
def as_store_errors() -> Iterator[None]:
    """Drivers' errors as ours. Constraint violations stay what they are: those are bugs, not conditions."""
    try:
        yield
    except DBAPIError as exc:
        ours = _ours(exc)
        if ours is None:
            raise
        raise ours from exc


def _ours(error: DBAPIError) -> StoreError | None:
    if _not_kept(error.orig):
        return StoreBroken(f"the disk did not keep what was written ({error.orig}): check it, then start again")
    if _says(error, _FULL):
        return StoreFull(f"the store has no space left ({error.orig}): free space on its disk")
    if _says(error, _DAMAGED):
        return StoreUnusable(f"the store's file is damaged ({error.orig}): restore a backup of it")
    if isinstance(error, OperationalError) and _says(error, _BUSY):
        return StoreError(f"the store does not answer: {error.orig}")
    if error.connection_invalidated:
        return StoreError(f"the store's connection broke: {error.orig}")
    return None


def _says(error: DBAPIError, signs: Iterable[str]) -> bool:
    words = str(error.orig).lower()
    return any(sign in words for sign in signs)


def _not_kept(error: BaseException | None) -> bool:
    match error:
        case sqlite3.Error(sqlite_errorcode=int(code)):
            return code in _NOT_KEPT
        case _:
            return False
