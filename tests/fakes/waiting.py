"""Waiting for something that another task, thread or socket brings about."""

import asyncio
from collections.abc import Callable


async def until(true: Callable[[], bool], *, within: float = 20.0) -> None:
    """Looks every few milliseconds. Raises TimeoutError after `within` seconds."""
    async with asyncio.timeout(within):
        while not true():
            await asyncio.sleep(0.005)
