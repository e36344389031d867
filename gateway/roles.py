"""What runs: receiving, working and sending as task groups that own every task.

On one SQLite file a single process holds the worker lock and only it works on turns; the others receive, and send what
their own windows show. Whoever waits for the lock takes over when its holder ends.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from core.runtime.patience import persist
from core.store.lock import FileLock
from core.store.wakeup import watch
from gateway.receiver import keep_listening
from gateway.wiring import Gateway

log = structlog.get_logger(__name__)

LOCK_POLL_S = 0.2


async def run(gateway: Gateway, database: Path, lock: FileLock, *beside: Callable[[], Awaitable[None]]) -> None:
    """Until every channel has said that nothing more will come, or until cancelled."""
    async with asyncio.TaskGroup() as group:
        clock = gateway.world.clock
        tasks = [
            group.create_task(work(gateway, lock), name="work"),
            group.create_task(gateway.sender.run(), name="send"),
            group.create_task(gateway.presence.run(), name="presence"),
            group.create_task(watch(database, clock, gateway.wakeups), name="watch"),
            *(group.create_task(_forever(one), name="beside") for one in beside),
        ]
        try:
            await _receive(gateway)
        finally:
            for task in tasks:
                task.cancel()


async def work(gateway: Gateway, lock: FileLock) -> None:
    """Wait for the worker lock, then work until cancelled."""
    while not lock.acquire():
        await gateway.world.clock.sleep(LOCK_POLL_S)
    try:
        voided = await persist(gateway.turns.void_leases, gateway.world.clock)
        log.info("worker.started", leases_voided=voided)
        async with asyncio.TaskGroup() as group:
            group.create_task(gateway.worker.run(), name="worker")
            group.create_task(gateway.control.run(), name="control")
    finally:
        lock.release()


async def _receive(gateway: Gateway) -> None:
    world = gateway.world
    async with asyncio.TaskGroup() as group:
        for channel in world.channels:
            group.create_task(
                keep_listening(channel, gateway.bus.publish, world.clock, world.chance),
                name=f"listen {channel.lane.channel}",
            )


async def _forever(one: Callable[[], Awaitable[None]]) -> None:
    await one()
