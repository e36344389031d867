"""Hints that the store may hold work, from this process and from others on the same file."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from core.ports import Clock

POLL_S = 0.1


class LocalWakeup:
    """A hint inside one process."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Something was committed."""
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Return at the next hint, or after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return
        finally:
            self._event.clear()


def _version(connection: sqlite3.Connection) -> int | None:
    """None when it is locked for a moment: somebody commits, and the next look sees another number."""
    with suppress(sqlite3.OperationalError):
        row: tuple[int] = connection.execute("PRAGMA data_version").fetchone()
        return row[0]
    return None


async def watch(path: Path, clock: Clock, wakeups: tuple[LocalWakeup, ...]) -> None:
    """Hint whenever any other connection has committed, until cancelled.

    SQLite counts commits in `data_version`; reading it touches shared memory only (some 10 us), so it is done in the
    loop itself, ten times a second.
    """
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=0)
    try:
        seen = None
        while True:
            version = _version(connection)
            if version != seen:
                seen = version
                for wakeup in wakeups:
                    wakeup.set()
            await clock.sleep(POLL_S)
    finally:
        connection.close()
