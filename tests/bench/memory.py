"""Whether memory, tasks and open files stay flat over many messages, and what a message takes on the disk."""

import asyncio
import gc
import resource
from pathlib import Path

from tests.bench.figures import Figures
from tests.bench.path import Load

MESSAGES = 100_000
WARM = 30_000
CHATS = 1_000
ACCOUNTS = 20
# What is at work at the moment of counting may differ by so many; what grows with messages would be thousands.
LOOSE = 64


def resident_kb() -> float:
    """The resident set of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


def open_files() -> int:
    """The descriptors of this process now."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def memory(folder: Path, figures: Figures) -> None:
    """Resident memory after a warm-up and after 100,000 more messages."""
    load = Load(folder, accounts=ACCOUNTS)
    async with load.running():
        await load.say(WARM, chats=CHATS)
        gc.collect()
        before, tasks, files = resident_kb(), len(asyncio.all_tasks()), open_files()
        await load.say(MESSAGES, chats=CHATS)
        gc.collect()
        figures.add("memory_slope", (resident_kb() - before) / MESSAGES, "kB/message", most=0.2)
        figures.add("tasks_growth", len(asyncio.all_tasks()) - tasks, "tasks", most=LOOSE)
        figures.add("files_growth", open_files() - files, "files", most=LOOSE)
        size = sum(path.stat().st_size for path in folder.glob("parley.db*")) / 1024
        figures.add("store_size", size / (WARM + MESSAGES), "kB/message", most=3)
