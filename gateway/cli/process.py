"""What every long-running verb does around its work: logging, and ending on a signal."""

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final

from gateway.cli import INTERRUPTED

# Told to end by whoever runs the service, or left alone by a terminal that is gone: both are an end in good order.
ENDS: Final[Mapping[signal.Signals, int]] = MappingProxyType(
    {signal.SIGINT: INTERRUPTED, signal.SIGTERM: 0, signal.SIGHUP: 0}
)


def run_to_the_end(
    logging: AbstractContextManager[None],
    work: Coroutine[None, None, int],
    *,
    hang_up: Callable[[], None] | None = None,
) -> int:
    """Run until it is done, and give its exit code. A signal of `ENDS` ends it in good order, with that code.

    `hang_up` is what SIGHUP asks for instead, unless it says that the terminal of this process is gone.
    """
    with logging:
        return asyncio.run(_until_told(work, hang_up))


def _terminal_is_gone() -> bool:
    """Whether there was one: the signal is the same for "read your settings again"."""
    if sys.__stdin__ is None:
        return False
    try:
        os.ttyname(sys.__stdin__.fileno())
        os.tcgetpgrp(sys.__stdin__.fileno())
    except OSError as error:
        return error.errno != errno.ENOTTY
    return False


async def _until_told(work: Coroutine[None, None, int], hang_up: Callable[[], None] | None) -> int:
    loop = asyncio.get_running_loop()
    told: list[signal.Signals] = []

    def tell(number: signal.Signals) -> None:
        if number is signal.SIGHUP and hang_up is not None and not _terminal_is_gone():
            hang_up()
            return
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
