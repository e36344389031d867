"""A process that may not write files beyond a size: it fills a store until that is refused, then may write again.

Says as JSON what was acknowledged, what was refused how, and what the file holds.
"""

import asyncio
import json
import resource
import signal
import sqlite3
import sys
from pathlib import Path

from core.domain.errors import StoreError
from core.store.store import Store, open_sqlite
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, message

LIMIT = 400_000


def main() -> None:
    """One argument: the file."""
    path = Path(sys.argv[1])
    store = open_sqlite(path, FakeClock())
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    acknowledged, refusals = asyncio.run(fill(store))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    asyncio.run(say_more(store))
    store.close()
    connection = sqlite3.connect(path)
    report = {
        "acknowledged": acknowledged,
        "refusals": refusals,
        "stored": [row[0] for row in connection.execute("SELECT event_key FROM inbound ORDER BY id")],
        "turns": connection.execute("SELECT count(*) FROM turns").fetchone()[0],
        "integrity": connection.execute("PRAGMA integrity_check").fetchone()[0],
    }
    connection.close()
    sys.stdout.write(json.dumps(report))


async def fill(store: Store) -> tuple[list[str], list[str]]:
    """Eight people talk at once until each was refused ten times."""
    acknowledged: list[str] = []
    refusals: list[str] = []

    async def talk(name: str) -> None:
        desk, refused, number = Desk(store, queued=10_000), 0, 0
        while refused < 10:
            key, number = f"{name}-{number}", number + 1
            try:
                await desk.takes(message("x" * 2_000, event_key=key))
            except StoreError as exc:
                refused += 1
                refusals.append(f"{type(exc).__name__}: {exc}")
            else:
                acknowledged.append(key)

    async with asyncio.TaskGroup() as group:
        for n in range(8):
            group.create_task(talk(f"p{n}"))
    return acknowledged, refusals


async def say_more(store: Store) -> None:
    """There is space again."""
    await Desk(store, queued=10_000).takes(message("there is space", event_key="after"))


if __name__ == "__main__":
    main()
