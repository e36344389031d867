"""A start with much to do: messages that were stored while nobody worked."""

import asyncio
import gc
import time
from pathlib import Path

from core.store.lock import FileLock
from tests.bench.figures import Figures
from tests.bench.memory import resident_kb
from tests.bench.path import ACCOUNTS, Load

MESSAGES = 10_000
CHATS = 500


async def backlog(folder: Path, figures: Figures) -> None:
    """How soon the first of them is answered, how fast all are, and what memory that takes."""
    load = Load(folder, accounts=ACCOUNTS)
    worker = FileLock(folder / "lock")
    worker.acquire()
    async with load.running(works=False):
        for number in range(MESSAGES):
            load.platforms[number % ACCOUNTS].says("anna", f"message {number}", chat=f"c{number % CHATS}")
        while sum(platform.events.acknowledged for platform in load.platforms) < MESSAGES:
            await asyncio.sleep(0.001)
    worker.release()
    gc.collect()
    resident, began = resident_kb(), time.perf_counter()
    async with load.running():
        await load.until(1)
        figures.add("backlog_first_reply", time.perf_counter() - began, "s", most=3)
        await load.until(MESSAGES)
        figures.add("backlog_turns", MESSAGES / (time.perf_counter() - began), "turns/s", least=100)
    figures.add("backlog_rss_growth", (resident_kb() - resident) / 1024, "MB", most=100)
