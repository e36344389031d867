"""All points, some times over: `python -m tests.crash.real [--times N]`."""

import argparse
import asyncio
import sys
import time
from collections import Counter

from tests.crash.matrix.wire import Death
from tests.crash.real.episode import perform
from tests.crash.real.fronts import PLATFORMS, Platform
from tests.crash.real.matrix import Ground, deaths, ground, points

AT_ONCE = 3


async def run(times: int) -> int:
    """The number of faults."""
    with ground() as made:
        return sum([await _on(made, platform, times) for platform in PLATFORMS])


async def _on(made: Ground, platform: Platform, times: int) -> int:
    began, figures = time.monotonic(), Counter[str]()
    found = await points(made, platform)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(death: Death) -> None:
        async with gate:
            outcome = await perform(made.nursery, made.new_file, platform, death)
        figures.update(kills=outcome.died, unsure=outcome.unsure, repeats=outcome.repeats, lost=len(outcome.lost))
        for fault in outcome.faults(platform):
            figures["faults"] += 1
            sys.stdout.write(f"  {death}: {fault}\n")

    async with asyncio.TaskGroup() as group:
        for number in range(times):
            for death in deaths(found, f"{platform.name} {number}"):
                group.create_task(one(death))
    sys.stdout.write(f"{platform.name}: {len(found)} points, {dict(figures)}, {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()
    return figures["faults"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1)
    sys.exit(1 if asyncio.run(run(parser.parse_args().times)) else 0)
