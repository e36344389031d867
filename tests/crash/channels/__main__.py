"""Real channels in front of their fakes, killed at every point: `python -m tests.crash.channels [CHANNEL]`."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.crash.channels.discord import CALLS, MOMENTS, discord
from tests.crash.channels.stage import Found, opened, perform, points
from tests.crash.matrix.wire import Death

WIRES = {"discord": (discord, CALLS, MOMENTS)}
LIVES = 2
AT_ONCE = 2


async def every(name: str) -> tuple[int, int, Sequence[str]]:
    """Episodes, deaths, and what is wrong."""
    wire, calls, moments = WIRES[name]
    with opened() as (nursery, folder):
        async with wire() as scout:
            found = await perform(nursery, scout, folder, ())
        assert not found.wrong, found.wrong
        deaths = [*points(found.reached)]
        deaths += [Death(name=call, moment=moment, nth=nth) for call in calls for moment in moments for nth in (1, 6)]
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(death: Death) -> Found:
            async with limit, wire() as made:
                return await perform(nursery, made, folder, [death] * LIVES)

        async with asyncio.TaskGroup() as group:
            tasks = [(death, group.create_task(one(death))) for death in deaths]
    wrong = [f"{death.point}: {sentence}" for death, task in tasks for sentence in task.result().wrong]
    return len(tasks), sum(task.result().kills for _, task in tasks), wrong


def main(names: Sequence[str]) -> int:
    """The exit code."""
    failed = 0
    for name in names:
        began = time.monotonic()
        episodes, kills, wrong = asyncio.run(every(name))
        kinds = Counter("wrong" for _ in wrong)
        took = time.monotonic() - began
        sys.stdout.write(f"{name}: {episodes} points, {kills} deaths, {kinds['wrong']} wrong, {took:.0f} s\n")
        sys.stdout.writelines(f"  {one}\n" for one in wrong)
        failed += bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(WIRES)))
