"""What every long-running verb does around its work: logging, and ending on a signal."""

import asyncio
import signal
from collections.abc import Coroutine, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final

from gateway.cli import INTERRUPTED

# Told to end by whoever runs the service, or left alone by a terminal that is gone: both are an end in good order.
ENDS: Final[Mapping[signal.Signals, int]] = MappingProxyType(
    {signal.SIGINT: INTERRUPTED, signal.SIGTERM: 0, signal.SIGHUP: 0}
)


def run_to_the_end(logging: AbstractContextManager[None], work: Coroutine[None, None, int]) -> int:
    """Run until it is done, and give its exit code. A signal of `ENDS` ends it in good order, with that code."""
    with logging:
        return asyncio.run(_until_told(work))


async def _until_told(work: Coroutine[None, None, int]) -> int:
    loop = asyncio.get_running_loop()
    told: list[signal.Signals] = []

    def tell(number: signal.Signals) -> None:
        # A terminal that goes away may say so twice; whoever repeats Ctrl-C does not want to wait for the good order.
        if not told or number is signal.SIGINT:
            task.cancel()
        told.append(number)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        for number in ENDS:
            loop.add_signal_handler(number, tell, number)
        await asyncio.wait([task])
    return ENDS[told[0]] if told and task.cancelled() else task.result()
