"""What every long-running verb does around its work: logging, and ending on a signal."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import AbstractContextManager, suppress


def run_to_the_end(logging: AbstractContextManager[None], work: Coroutine[None, None, int]) -> int:
    """Run until it is done, and give its exit code. SIGTERM and SIGHUP end it in good order, with code 0."""
    with logging:
        return asyncio.run(_until_told(work))


async def _until_told(work: Coroutine[None, None, int]) -> int:
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        for name in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(name, task.cancel)
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return 0 if task.cancelled() else task.result()
