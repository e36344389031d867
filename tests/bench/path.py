"""The whole path, from an event of the platform to the receipt's row: gate, store, turn, rendering, delivery."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from sqlalchemy import event

from core.decide.view import Queueing
from core.models.scripted import ScriptedModel, says
from core.store.lock import FileLock
from core.store.store import Store, open_sqlite
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import wire
from tests.bench.disk import fsync_ms
from tests.bench.figures import Figures
from tests.fakes.channel import CHANNEL, LIMITS, FakeChannel
from tests.fakes.gateway import PEOPLE, House
from tests.fakes.platform import FakePlatform

CHATS = 100
ACCOUNTS = 20
MESSAGES = 10_000
IDLE_MESSAGES = 300
WARM = 500
IN_FLIGHT = 800
# Looks for work and renewals of leases come with time, not with messages.
POLLS = ("BEGIN", "chats.ready IS NOT NULL", "chats.id IN (")


class Load:
    """Many chats on several accounts of one fake platform each, as many gateways' worth of people as it takes."""

    def __init__(self, folder: Path, *, accounts: int, kept: int = 0) -> None:
        model = ScriptedModel(says("A short answer, as people get them."), repeat_last=True, validate=False, keep=0)
        self.platforms = [FakePlatform(kept=kept) for _ in range(accounts)]
        self.house = House(
            folder=folder,
            platform=self.platforms[0],
            models=[model],
            queued_chat=10**9,
            queueing=Queueing(person=10**9),
        )

    @asynccontextmanager
    async def running(self, *, works: bool = True) -> AsyncIterator[Store]:
        """The gateway, with everybody let in; at work, unless somebody else holds its lock."""
        (self.house.folder / "workspace").mkdir(exist_ok=True)
        store = open_sqlite(self.house.database, self.house.clock)
        # Whole replies: drafts have a cost of their own, and only where somebody watches.
        limits = replace(LIMITS, drafts=False)
        channels = [FakeChannel(one, account=f"a{n}", limits=limits) for n, one in enumerate(self.platforms)]
        world = self.house.world(store, channels)
        listed = {(CHANNEL, f"a{n}"): frozenset(PEOPLE) for n in range(len(self.platforms))}
        choices = replace(world.choices, policy=replace(world.choices.policy, listed=listed))
        gateway = wire(replace(world, choices=choices))
        place = Place(database=self.house.database, lock=FileLock(self.house.folder / "lock"))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(run(gateway, place))
            while works and not place.lock.held:
                await asyncio.sleep(0.001)
            yield store
            task.cancel()
        store.close()

    def answered(self) -> int:
        """Replies that the platforms took."""
        return sum(platform.ledger.taken for platform in self.platforms)

    async def say(self, messages: int, *, chats: int) -> None:
        """So many messages, spread over the chats, a bounded number unanswered at any time."""
        before = self.answered()
        for number in range(messages):
            platform = self.platforms[number % len(self.platforms)]
            platform.says("anna", f"message {number}", chat=f"c{number % chats}")
            while number - (self.answered() - before) >= IN_FLIGHT:
                await asyncio.sleep(0.001)
        await self.until(before + messages)

    async def until(self, answered: int) -> None:
        """Wait for so many replies."""
        while self.answered() < answered:
            await asyncio.sleep(0.001)


async def path(folder: Path, figures: Figures) -> None:
    """Throughput over many chats, and what a message costs in statements, polls aside."""
    load = Load(folder, accounts=ACCOUNTS)
    async with load.running() as store:
        await load.say(WARM, chats=CHATS)
        began, cpu = time.perf_counter(), time.process_time()
        await load.say(MESSAGES, chats=CHATS)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        figures.add("whole_path", MESSAGES / seconds, "messages/s", least=1000)
        figures.add("cpu_per_message", cpu / MESSAGES * 1000, "ms")
        await _statements(load, store, figures)


async def idle(folder: Path, figures: Figures) -> None:
    """One chat, one message at a time: what a person waits beside the model."""
    sync = await asyncio.to_thread(fsync_ms, folder)
    load = Load(folder, accounts=1, kept=100)
    platform = load.platforms[0]
    async with load.running():
        await load.say(20, chats=1)
        platform.ledger.unheard("c0").clear()
        began = time.perf_counter()
        for number in range(IDLE_MESSAGES):
            event = platform.says("anna", f"idle {number}", chat="c0")
            await platform.reads(chat="c0")
            await platform.acknowledges(event)
        each = (time.perf_counter() - began) / IDLE_MESSAGES * 1000
    figures.add("fsync_beside_idle", sync, "ms")
    figures.add("idle_message", each, "ms", most=3 * sync + 3)


async def _statements(load: Load, store: Store, figures: Figures) -> None:
    counted = {"writes": 0, "reads": 0}

    def count_writes(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        counted["writes"] += not any(poll in statement for poll in POLLS)

    def count_reads(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        counted["reads"] += not statement.startswith("BEGIN")

    # Receipts of the load before are still being written: a few messages one by one, and they are done.
    for _ in range(5):
        await load.say(1, chats=1)
    writing, reading = store.engines()
    event.listen(writing, "before_cursor_execute", count_writes)
    event.listen(reading, "before_cursor_execute", count_reads)
    messages = 50
    for _ in range(messages):
        await load.say(1, chats=1)
    event.remove(writing, "before_cursor_execute", count_writes)
    event.remove(reading, "before_cursor_execute", count_reads)
    figures.add("statements_per_message", counted["writes"] / messages, "statements", most=9.2)
    figures.add("reads_per_message", counted["reads"] / messages, "statements")
