"""What the disk itself costs: every figure of the path is to be read beside it."""

import asyncio
import os
import statistics
import time
from pathlib import Path

from tests.bench.figures import Figures

SYNCS = 400
BLOCK = 4096


def fsync_ms(folder: Path) -> float:
    """The median of plain fdatasync calls after a block was written, in milliseconds."""
    descriptor = os.open(folder / "sync", os.O_CREAT | os.O_RDWR)
    times = []
    for number in range(SYNCS):
        os.pwrite(descriptor, b"x" * BLOCK, number * BLOCK)
        began = time.perf_counter()
        os.fdatasync(descriptor)
        times.append(time.perf_counter() - began)
    os.close(descriptor)
    return statistics.median(times) * 1000


async def disk(folder: Path, figures: Figures) -> None:
    """The bare fsync time."""
    figures.add("fsync", await asyncio.to_thread(fsync_ms, folder), "ms")
