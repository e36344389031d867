"""A gateway with one real channel, forked from a process with everything loaded; it dies where it is told to.

The platform is a server in the process of the test. Everything else that has to outlive a death lies in the folder:
the store, `reached` with every operation that came to its end, `counted` with every run of a tool that may run once.
"""

import gc
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from sqlalchemy import Connection, select

from channels import registry
from channels.contract import AnyChannel, ChannelContext
from core.domain.command import COMMANDS
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.domain.texts import Texts
from core.domain.tool import Effect, ToolResult, ToolSpec
from core.models.scripted import calls, says
from core.ports import Tool, ToolContext
from core.runtime.ambient import SystemClock
from core.store.lock import FileLock
from core.store.schema import cursors
from core.store.sqlite import SqliteStore, create_file
from core.store.store import Store, upgrade
from core.tools.ask_user import ask_user
from gateway.cli.process import run_to_the_end
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import wire
from gateway.world import World
from tests.crash.channels.birth import PACE, Birth, hurried
from tests.crash.matrix.fate import Fate
from tests.crash.matrix.mortal import MortalStore
from tests.fakes.access import everywhere
from tests.fakes.gateway import House
from tests.fakes.platform import FakePlatform
from tests.processes.nursery import Nursery, become, leave

WISH = re.compile(r"(e\d+) (\w+)")
LINES = 120
SIZE = ModelSize(window=128_000, output=4_096)


@dataclass(frozen=True, slots=True, kw_only=True)
class Obedient:
    """A model that answers what it is asked with the same words every time."""

    name: str = "obedient"
    size: ModelSize = SIZE

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """The newest words of a person say what; results behind them say that it is done."""
        last = max(place for place, message in enumerate(prompt.messages) if message.role == "user")
        done = any(message.role == "tool" for message in prompt.messages[last:])
        found = WISH.search(str(prompt.messages[last].content))
        if found is None:
            return says("re nothing")
        event, wish = found.groups()
        match wish:
            case "count" if not done:
                return calls("count", event=event)
            case "ask" if not done:
                return calls("ask_user", question=f"{event} which?", choices=["red", "green"])
            case "long":
                return says(
                    "\n".join([f"re {event} long", *(f"{event} line {n} of a long reply" for n in range(LINES))])
                )
        return says(f"re {event} {wish}")


class Counts:
    """A tool that must not run twice: each run is written down for good."""

    def __init__(self, folder: Path) -> None:
        self.spec = ToolSpec(
            name="count",
            description="Counts.",
            schema={"type": "object", "properties": {}},
            effect=Effect.EXTERNAL,
            replayable=False,
        )
        self._file = folder / "counted"

    async def run(self, arguments: str, context: ToolContext) -> ToolResult:
        """One line a run."""
        _append(self._file, context.replay_key)
        return ToolResult(text="counted")


def _append(path: Path, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


class Hurried(SystemClock):
    """A time that runs faster, for all gateways of a store the same."""

    def __init__(self, since: float) -> None:
        self._since = since

    def now(self) -> int:
        """Milliseconds."""
        return round(1000 * hurried(self._since))

    async def sleep(self, seconds: float) -> None:
        """As long as that is in this time."""
        await super().sleep(seconds / PACE)


@dataclass(frozen=True, kw_only=True)
class ChannelHouse(House):
    """A gateway with one real channel."""

    birth: Birth

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """With a policy for its people."""
        world = super().world(store, channels)
        policy = everywhere((self.birth.channel, self.birth.account), frozenset(self.birth.people))
        return replace(world, choices=replace(world.choices, policy=policy))


def _cursor(conn: Connection, channel: str, account: str, scope: str) -> str | None:
    found: str | None = conn.execute(
        select(cursors.c.value).where(
            cursors.c.channel == channel, cursors.c.account == account, cursors.c.scope == scope
        )
    ).scalar()
    return found


def _channel(birth: Birth, store: Store) -> AnyChannel:
    spec = registry.load(birth.channel)

    async def cursor(scope: str) -> str | None:
        return await Store.read(store, _cursor, birth.channel, birth.account, scope)

    context = ChannelContext(
        account=birth.account,
        workspace=Path(birth.folder) / "workspace",
        clock=Hurried(birth.since),
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        cursor=cursor,
    )
    return spec.build(spec.settings.model_validate(birth.settings), context)


async def serve(birth: Birth) -> int:
    """Until told to end."""
    fate, folder, clock = Fate(birth.death), Path(birth.folder), Hurried(birth.since)
    create_file(folder / "parley.db")
    upgrade(folder / "parley.db")
    engine = SqliteStore(folder / "parley.db", clock.now)
    store = MortalStore(engine, fate, lambda name: _append(folder / "reached", name))
    tools: dict[str, Tool] = {"ask_user": ask_user, "count": Counts(folder)}
    house = ChannelHouse(
        folder=folder, platform=FakePlatform(), models=[Obedient()], tools=tools, clock=clock, birth=birth
    )
    gateway = wire(house.world(store, [_channel(birth, store)]))
    try:
        await run(gateway, Place(database=folder / "parley.db", lock=FileLock(folder / "worker.lock"), grace_s=5.0))
    finally:
        store.close()
    return 0


def live(birth: Birth) -> int:
    """Gives the exit code, if it comes to that."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    return run_to_the_end(nullcontext(), serve(birth))


if __name__ == "__main__":
    for name in registry.CHANNELS:
        registry.load(name)
    gc.freeze()
    nursery = Nursery(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ordered = nursery.serve()
    if ordered is not None:
        become(ordered)
        leave(live(Birth.read(ordered.arguments[0])))
