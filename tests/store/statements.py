"""All statements of the store, found by looking; a store that was used for long; and what a statement costs there."""

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import ClauseElement, Connection, create_engine
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import Executable

import core.store
from core.store.sql import PerDialect
from core.store.sqlite import connect

# One row a message, or one a chat: reading all of them takes longer every day.
GROWING = frozenset({"chats", "inbound", "turns", "steps", "outbox", "outbox_parts"})
# Partial indexes over what is at work right now, or in trouble: they stay small however long the store is used.
SMALL = frozenset(
    {"chats_ready", "chats_owned", "chats_missed", "inbound_pending", "turns_live", "turns_broken"}
    | {"outbox_open", "outbox_dead", "outbox_lost", "outbox_repeated", "waits_open", "waits_due", "waits_remind"}
)

REPLY = '{"fragments":[{"text":"answer","kind":"text"}],"files":[],"choices":[]}'
STEP = '{"text":"answer","calls":[],"cut":false,"model":"","kind":"model_answered"}'
CHOICE = '{"names":["first"],"registry":"r1"}'


def statements() -> Mapping[str, Executable]:
    """`module.NAME` -> the statement, as SQLite gets it."""
    engine = create_engine("sqlite://")
    with engine.connect() as conn:
        found = dict(_found(conn))
    engine.dispose()
    return found


def _found(conn: Connection) -> Iterator[tuple[str, Executable]]:
    for module in pkgutil.iter_modules(core.store.__path__):
        if module.ispkg or module.name == "migrate":
            continue
        for name, value in vars(importlib.import_module(f"core.store.{module.name}")).items():
            if name.isupper() and not name.startswith("_"):
                built = value.on(conn) if isinstance(value, PerDialect) else value
                if isinstance(built, ClauseElement) and isinstance(built, Executable):
                    yield f"{module.name}.{name}", built


def sql_of(statement: Executable) -> str:
    """The text that reaches the driver."""
    assert isinstance(statement, ClauseElement)
    return re.sub(r"__\[POSTCOMPILE_\w+\]", "?, ?", str(statement.compile(dialect=sqlite.dialect())))


def shape_of(sql: str) -> str:
    """The text with all lists of values of one length."""
    return re.sub(r"IN \((\?(, )?)+\)", "IN (?)", sql)


def plan(connection: sqlite3.Connection, statement: Executable) -> list[str]:
    """How SQLite would go about it, one line a step; every bound value is 1."""
    sql = sql_of(statement)
    rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", [1] * sql.count("?"))
    return [str(row[3]) for row in rows]


def walks(steps: list[str]) -> list[str]:
    """The steps that go through a whole growing table, or through an index over all of it."""
    return [
        step
        for step in steps
        if step.startswith("SCAN ") and step.split()[1] in GROWING and SMALL.isdisjoint(step.split())
    ]


def sorts(steps: list[str]) -> list[str]:
    """The steps that sort."""
    return [step for step in steps if "TEMP B-TREE" in step]


def use_for_long(path: Path, *, chats: int, turns: int) -> None:
    """Chat 1 with so many finished turns, and so many idle chats of one finished turn each."""
    connection = sqlite3.connect(path)
    with connection:
        _insert_chats(connection, chats)
        # Chat 1 has the turns 1 to `turns`, chat n the turn `turns` + n - 1.
        heads = [(1, number) for number in range(1, turns + 1)]
        heads += [(chat, turns + chat - 1) for chat in range(2, chats + 1)]
        _insert_turns(connection, heads)
        _insert_commands(connection, heads[::10])
    connection.close()


def _insert_chats(connection: sqlite3.Connection, chats: int) -> None:
    rows = [(number, f"room {number}" if number > 1 else "room") for number in range(1, chats + 1)]
    connection.executemany(
        "INSERT INTO chats (id, channel, account, chat_id, thread_id, created_at) VALUES (?, 'fake', 'acme', ?, '', 0)",
        rows,
    )


def _insert_turns(connection: sqlite3.Connection, heads: list[tuple[int, int]]) -> None:
    connection.executemany(
        "INSERT INTO inbound (chat, id, channel, account, event_key, sender, sender_name, kind, lane, content, at,"
        " received_at, choice) VALUES (?1, ?2, 'fake', 'acme', 'old ' || ?2, 'anna', 'Anna', 'message', 'turn',"
        f" 'question', 0, 0, '{CHOICE}')",
        heads,
    )
    connection.executemany(
        "INSERT INTO turns (chat, id, agent, state, attempt, finished_at) VALUES (?, ?, 'main', 'done', 1, 1)", heads
    )
    connection.executemany(
        "INSERT INTO steps (turn, seq, kind, body, at) VALUES (?, 1, 'model_answered', ?, 0)",
        [(turn, STEP) for _, turn in heads],
    )
    connection.executemany(
        "INSERT INTO outbox (chat, turn, id, key, reply, state, created_at, closed_at)"
        f" VALUES (?1, ?2, ?2, 'old ' || ?2, '{REPLY}', 'sent', 0, 1)",
        heads,
    )
    connection.executemany(
        "INSERT INTO waits (chat, turn, step, kind, key, asked, question, deadline, state, closed_at)"
        " VALUES (?, ?, 1, 'question', '', 'anna', '{}', 0, 'answered', 1)",
        heads[::5],
    )
    connection.executemany(
        "INSERT INTO outbox_parts (delivery, n, payload) VALUES (?, 0, '{}')", [(turn,) for _, turn in heads]
    )


def _insert_commands(connection: sqlite3.Connection, heads: list[tuple[int, int]]) -> None:
    """Answered without a turn."""
    commands = [(chat, head + 1_000_000) for chat, head in heads]
    connection.executemany(
        "INSERT INTO inbound (chat, id, channel, account, event_key, sender, sender_name, kind, lane, content, at,"
        " received_at, command) VALUES (?1, ?2, 'fake', 'acme', 'old ' || ?2, 'anna', 'Anna', 'message', 'control',"
        " '/help', 0, 0, 'help')",
        commands,
    )
    connection.executemany(
        "INSERT INTO outbox (chat, inbound, id, key, reply, state, created_at, closed_at)"
        f" VALUES (?1, ?2, ?2, 'old ' || ?2, '{REPLY}', 'sent', 0, 1)",
        commands,
    )


@contextmanager
def counted(path: Path) -> Iterator[Callable[[Callable[[Connection], object]], int]]:
    """Gives a function that runs an operation and gives its cost in steps of SQLite's machine; nothing is kept."""
    engine = connect(path, lambda: 1_800_000_000_000, writes=True)
    steps: list[int] = []

    def tick() -> int:
        steps.append(1)
        return 0

    def cost(operation: Callable[[Connection], object]) -> int:
        with engine.connect() as conn:
            driver = conn.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            steps.clear()
            driver.set_progress_handler(tick, 1)
            operation(conn)
            driver.set_progress_handler(None, 1)
            conn.rollback()
        return len(steps)

    try:
        yield cost
    finally:
        engine.dispose()
