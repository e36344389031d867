"""A whole gateway in a test: the real store, bus, runtime and rules, around a fake platform and a scripted model."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from channels.contract import AnyChannel
from core.decide.gate import Door, Policy
from core.decide.next_step import Budget
from core.decide.view import Answerers, Queueing
from core.domain.agent import AgentDefinition
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.errors import StoreError, ToolError
from core.domain.presence import Etiquette
from core.domain.texts import Texts
from core.models.registry import ReadyModels
from core.ports import Chance, Clock, Model, TaskAgent, Tool
from core.runtime.ambient import SystemChance, SystemClock
from core.store.lock import FileLock
from core.store.store import Store, open_sqlite
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import Gateway, wire
from gateway.world import Choices, World
from tests.fakes.channel import ACCOUNT, CHANNEL, FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.platform import FakePlatform

ResultT = TypeVar("ResultT")

BUDGET = Budget(model_calls=50, tokens=5_000_000)
PEOPLE = ("anna", "ben", "carl")
NOBODY = "nobody"
OWNERS = frozenset({"olga"})


class TestAgents:
    """One agent with every tool that it is given."""

    __test__ = False

    def __init__(self, tools: Sequence[str]) -> None:
        self._tools = tuple(tools)

    def get(self, agent_id: str) -> AgentDefinition:
        """Always the same."""
        return AgentDefinition(id=agent_id, name=agent_id, instructions="You are a test.", tools=self._tools)

    def task(self, agent_id: str) -> AgentDefinition:
        """The same: each works for others too, but for one."""
        if agent_id == NOBODY:
            raise ToolError(f"agent `{agent_id}` not found; there are: clerk")
        return self.get(agent_id)

    def tasks(self) -> Sequence[TaskAgent]:
        """One as an example."""
        return (TaskAgent(id="clerk", description="Counts things.", instructions="Name the things."),)


@dataclass(frozen=True, kw_only=True)
class House:
    """What a gateway is run with in a test; the folder survives it, so that the next one goes on."""

    folder: Path
    platform: FakePlatform
    models: Sequence[Model]
    tools: Mapping[str, Tool] = field(default_factory=dict)
    clock: Clock = field(default_factory=SystemClock)
    chance: Chance = field(default_factory=SystemChance)
    budget: Budget = BUDGET
    turns: int = 32
    queued_chat: int = 50
    queueing: Queueing = field(default_factory=Queueing)
    owners: frozenset[str] = OWNERS
    max_age: Callable[[ChatKey], int] | None = None
    tool_s: float = 5.0
    turn_hours: float = 2.0
    grace_s: float = 2.0
    reply_parts: int = 8
    approvers: tuple[str, ...] = ()
    answerers: Answerers = Answerers.ASKER
    approvals: Mapping[str, str] = field(default_factory=dict)
    etiquette: Etiquette = field(default_factory=Etiquette)
    channel: Callable[[FakePlatform], AnyChannel] = FakeChannel
    door: Door = field(default_factory=Door)

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.folder / "parley.db"

    @property
    def worker(self) -> Path:
        """The lock of whoever works on the store."""
        return self.folder / "worker.lock"

    @property
    def service(self) -> Path:
        """The lock for which the gateway steps back: whoever holds it has the better right to work."""
        return self.folder / "service.lock"

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """What `wire` takes."""
        choices = Choices(
            workspace=self.folder / "workspace",
            policy=Policy(
                listed={(CHANNEL, ACCOUNT): frozenset(PEOPLE)},
                owners={(CHANNEL, ACCOUNT): self.owners},
                approvers={(CHANNEL, ACCOUNT): frozenset(self.approvers)} if self.approvers else {},
                doors={(CHANNEL, ACCOUNT): self.door},
            ),
            commands=[spec for spec in COMMANDS if not spec.terminal_only],
            texts=Texts({}),
            budget=self.budget,
            agent=lambda chat: "main",
            queueing=replace(self.queueing, chat=self.queued_chat),
            max_age=self.max_age,
            turns=self.turns,
            tool_s=self.tool_s,
            turn_hours=self.turn_hours,
            reply_parts=self.reply_parts,
            approvals=self.approvals,
            answerers=lambda chat: self.answerers,
        )
        return World(
            store=store,
            clock=self.clock,
            chance=self.chance,
            channels=channels,
            models=ReadyModels(*self.models),
            agents=TestAgents(list(self.tools)),
            tools=self.tools,
            choices=choices,
            etiquette=lambda chat: self.etiquette,
        )


@asynccontextmanager
async def opened(house: House) -> AsyncIterator[Gateway]:
    """A running gateway; leaving the block ends it as a signal would: turns at work are given back."""
    (house.folder / "workspace").mkdir(exist_ok=True)
    store = open_sqlite(house.database, house.clock)
    gateway = wire(house.world(store, [house.channel(house.platform)]))
    place = Place(
        database=house.database, lock=FileLock(house.worker), service=FileLock(house.service), grace_s=house.grace_s
    )
    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(run(gateway, place))
            yield gateway
            running.cancel()
    finally:
        store.close()


async def passing(
    gateway: Gateway, clock: FakeClock, done: Coroutine[None, None, ResultT], *, step: float = 0.5
) -> ResultT:
    """Time goes on, step by step, until this has ended; after each step everybody looks for work.

    Without these hints they would look when their own patience ends, which counts real seconds. The next step waits
    for the store: however slow it is, no lease runs out that is renewed. A step beyond a lease ends every one.
    """
    async with asyncio.TaskGroup() as group:
        task = group.create_task(done)
        while not task.done():
            await clock.advance(step)
            for wakeup in gateway.wakeups:
                wakeup.set()
            await asyncio.wait([task], timeout=0.005)
            # A full one refuses this too where it shares a commit.
            with suppress(StoreError):
                await gateway.world.store.run(_nothing)
    return task.result()


def _nothing(conn: Connection) -> None:
    """Is done when all that was asked for before it is."""
