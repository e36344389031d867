"""A gateway that is forked from a process with everything loaded: the real one, around a store and ports that die."""

import asyncio
import gc
import logging
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import structlog
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from core.domain.tool import Approval
from core.runtime.ambient import SystemClock
from core.store.lock import FileLock
from core.store.outage import QUIET_MS
from core.store.sqlite import SqliteStore, create_file
from core.store.store import Store, upgrade
from core.store.viewing import COLLECTING
from core.tools.ask_user import ask_user
from gateway.cli.process import run_to_the_end
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import Gateway, wire
from tests.crash.matrix.far import Far, FarChannel, FarModel, FarTool
from tests.crash.matrix.fate import Fate
from tests.crash.matrix.mortal import MortalStore
from tests.crash.matrix.plants import CHECKPOINTS, HASTY, SURE, plant
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import LONGEST, Birth
from tests.fakes.gateway import House
from tests.fakes.platform import FakePlatform, Profile
from tests.fakes.tools import DelegatingTool
from tests.processes.nursery import Nursery, become, leave

PACE = 0.2
STATEMENT = ("statement", Moment.BEFORE)
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

# The next moment at which something is due that now waits only for the time; nothing while somebody works.
NEXT_DUE = text("""
SELECT min(at) FROM (
    SELECT not_before AS at FROM outbox WHERE closed_at IS NULL
    UNION ALL SELECT until FROM chats WHERE owner = :collecting
    UNION ALL SELECT missed_at + :quiet FROM chats WHERE missed > 0
    UNION ALL SELECT deadline FROM waits WHERE closed_at IS NULL
    UNION ALL SELECT remind_at FROM waits WHERE closed_at IS NULL
) WHERE at > :now AND NOT EXISTS (SELECT 1 FROM chats WHERE owner != :collecting)
""")


class Time:
    """Goes on by itself, and leaps to what is due next, up to an hour, when nothing happens. Waiting is shortened."""

    def __init__(self, ahead: int, fate: Fate) -> None:
        self.ahead = ahead
        self._fate = fate
        self._stirred = asyncio.Event()
        self._clock = SystemClock()
        fate.stirs = self._stirred.set

    def now(self) -> int:
        """Milliseconds."""
        return self._clock.now() + self.ahead

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._clock.sleep(seconds * PACE)

    async def passes(self, store: Store, gateway: Gateway, far: Far) -> None:
        """Until cancelled."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            if not self._fate.idle:
                continue
            due = await Store.read(store, next_due, self.now())
            if due is not None and due - self.now() < HOUR_MS and self._fate.idle:
                self.ahead += max(0, due - self.now()) + 1
                far.tell("ahead", ms=self.ahead)
                for wakeup in gateway.wakeups:
                    wakeup.set()


def next_due(conn: Connection, now: int) -> int | None:
    due: int | None = conn.execute(NEXT_DUE, {"now": now, "collecting": COLLECTING, "quiet": QUIET_MS}).scalar()
    return due


async def serve(birth: Birth) -> int:
    """Until told to end."""
    fate = Fate(birth.death)
    reader, writer = await asyncio.open_unix_connection(birth.socket, limit=LONGEST)
    far = Far(reader, writer, fate)
    far.tell("hello", pid=os.getpid())
    time = Time(birth.ahead, fate)
    folder = Path(birth.folder)

    def did(name: str) -> None:
        far.did(name)
        if name == "claims.void_leases":
            far.tell("ready")

    _open(folder / "parley.db", fate, hasty=birth.plant == CHECKPOINTS)
    store = MortalStore(SqliteStore(folder / "parley.db", time.now), fate, did)
    gateway = wire(_house(birth, far, time).world(store, [_channel(birth, far, fate)]))
    place = Place(database=folder / "parley.db", lock=FileLock(folder / birth.lock), grace_s=15.0)
    try:
        async with asyncio.TaskGroup() as group:
            line = group.create_task(far.run())
            try:
                await run(gateway, place, lambda: time.passes(store, gateway, far))
            finally:
                line.cancel()
    finally:
        store.close()
    return 0


def _open(database: Path, fate: Fate, *, hasty: bool) -> None:
    """As a start does it, but that it may die at any statement; `hasty` writes the log back with every commit."""

    def passes(*args: object) -> None:
        fate.passes(*STATEMENT)

    def prepare(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        connection.cursor().execute("PRAGMA wal_autocheckpoint=1")

    if hasty:
        event.listen(Engine, "connect", prepare)
    event.listen(Engine, "before_cursor_execute", passes)
    create_file(database)
    upgrade(database)
    event.remove(Engine, "before_cursor_execute", passes)


def _house(birth: Birth, far: Far, time: Time) -> House:
    tools = (
        ask_user,
        FarTool(far, "look", replayable=True),
        FarTool(far, "wait", replayable=True),
        FarTool(far, "tell", replayable=True),
        DelegatingTool("hand"),
        FarTool(far, "count", replayable=False),
        FarTool(far, "press", replayable=False),
        FarTool(far, "pay", replayable=False, approval=Approval.ASK),
    )
    house = House(
        folder=Path(birth.folder),
        platform=FakePlatform(),
        models=[FarModel(far=far, name="one"), FarModel(far=far, name="other")],
        tools={tool.spec.name: tool for tool in tools},
        clock=time,
    )
    bounded = replace(house.budget, person_tokens=1_000_000_000)
    return replace(house, tool_s=60.0, turns=64, max_age=lambda chat: DAY_MS, budget=bounded)


def _channel(birth: Birth, far: Far, fate: Fate) -> FarChannel:
    return FarChannel(
        far=far, fate=fate, profile=Profile[birth.profile], hasty=birth.plant == HASTY, blind=birth.plant == SURE
    )


def live(birth: Birth) -> int:
    """Gives the exit code, if it comes to that."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    plant(birth.plant)
    return run_to_the_end(nullcontext(), serve(birth))


if __name__ == "__main__":
    gc.freeze()
    nursery = Nursery(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ordered = nursery.serve()
    if ordered is not None:
        become(ordered)
        leave(live(Birth.read(ordered.arguments[0])))
