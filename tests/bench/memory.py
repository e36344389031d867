"""Whether memory stays flat over many messages."""

import gc
import resource
from pathlib import Path

from tests.bench.figures import Figures
from tests.bench.path import Load

MESSAGES = 100_000
WARM = 30_000
CHATS = 1_000
ACCOUNTS = 20


def resident_kb() -> float:
    """The resident set of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


async def memory(folder: Path, figures: Figures) -> None:
    """Resident memory after a warm-up and after 100,000 more messages."""
    load = Load(folder, accounts=ACCOUNTS)
    async with load.running():
        await load.say(WARM, chats=CHATS)
        gc.collect()
        before = resident_kb()
        await load.say(MESSAGES, chats=CHATS)
        gc.collect()
        figures.add("memory_slope", (resident_kb() - before) / MESSAGES, "kB/message", most=0.2)
        size = sum(path.stat().st_size for path in folder.glob("parley.db*")) / 1024
        figures.add("store_size", size / (WARM + MESSAGES), "kB/message", most=3)
