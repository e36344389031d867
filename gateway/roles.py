"""What runs: receiving, working and sending as task groups that own every task.

On one SQLite file a single process holds the worker lock and only it works on turns; the others receive, and send what
their own windows show. Whoever waits for the lock takes over when its holder ends.
"""

import asyncio
from collections.abc import Callable, Coroutine

import structlog

from core.runtime.patience import persist
from core.runtime.supervised import supervised
from core.store.wakeup import watch
from gateway.locks import Place
from gateway.receiver import keep_listening
from gateway.wiring import Gateway

log = structlog.get_logger(__name__)

LOCK_POLL_S = 0.2


Runs = Callable[[], Coroutine[None, None, None]]


async def run(gateway: Gateway, place: Place, *beside: Runs, receives: Runs | None = None) -> None:
    """Until every channel has said that nothing more will come, or until cancelled. Raises StoreBroken in a group.

    `receives` takes the place of listening to the channels that there are now.
    """
    async with asyncio.TaskGroup() as group:
        clock = gateway.world.clock
        tasks = [
            group.create_task(work(gateway, place), name="work"),
            group.create_task(gateway.sender.run(), name="send"),
            group.create_task(gateway.presence.run(), name="presence"),
            group.create_task(gateway.world.store.lasts(), name="store"),
            group.create_task(watch(place.database, clock, gateway.wakeups), name="watch"),
            *(group.create_task(supervised(one(), "beside.broke"), name="beside") for one in beside),
        ]
        try:
            await (receives() if receives else _receive(gateway))
        finally:
            # What the last turns have to say can still be sent while they come to their end.
            tasks[0].cancel()
            await asyncio.wait(tasks[:1])
            for task in tasks[1:]:
                task.cancel()


async def work(gateway: Gateway, place: Place) -> None:
    """Wait for the worker lock, then work until cancelled, or until a service wants to."""
    clock = gateway.world.clock
    while True:
        if place.steps_back() or not place.lock.acquire():
            await clock.sleep(LOCK_POLL_S)
            continue
        try:
            voided = await persist(gateway.turns.void_leases, clock)
            log.info("worker.started", leases_voided=voided)
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(gateway.worker.run(place.grace_s), name="worker"),
                    group.create_task(gateway.control.run(), name="control"),
                    group.create_task(gateway.bursts.run(), name="bursts"),
                ]
                while not place.steps_back():
                    await clock.sleep(LOCK_POLL_S)
                for task in tasks:
                    task.cancel()
        finally:
            place.lock.release()


async def _receive(gateway: Gateway) -> None:
    world = gateway.world
    async with asyncio.TaskGroup() as group:
        for channel in world.channels:
            group.create_task(
                keep_listening(channel, gateway.bus.publish, world.clock, world.chance),
                name=f"listen {channel.lane.channel}",
            )
