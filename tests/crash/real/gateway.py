"""A gateway with a real channel, forked from a process with everything loaded; it dies where it is told to."""

import gc
import json
import logging
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import structlog

from channels import registry
from channels.contract import AnyChannel, ChannelContext
from core.decide.gate import Door, GroupPolicy, Policy
from core.domain.command import COMMANDS
from core.domain.prompt import ModelSize, Prompt
from core.domain.step import ModelAnswered
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from core.store.lock import FileLock
from core.store.sqlite import SqliteStore
from core.store.store import Store
from gateway.cli.process import run_to_the_end
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import Gateway, wire
from gateway.world import World
from tests.crash.matrix.fate import Fate
from tests.crash.matrix.gateway import HOUR_MS, next_due
from tests.crash.matrix.mortal import MortalStore
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.fakes.gateway import House
from tests.fakes.platform import FakePlatform
from tests.processes.nursery import Nursery, become, leave

FASTER = 4
LOOK_S = 0.02
LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """What a gateway is started with: the channel with its settings, whom it lets in, and where it ends.

    `began` is the machine's time, in milliseconds, from which on time goes faster here: the same for all lives.
    """

    channel: str
    account: str
    settings: dict[str, object]
    people: list[str]
    folder: str
    began: int
    death: Death | None = None

    def text(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> "Birth":
        """What `text` gave."""
        given = json.loads(text)
        death = given.pop("death")
        if death is not None:
            death = Death(**{**death, "moment": Moment(death["moment"])})
        return cls(**given, death=death)


class Time:
    """Faster than the machine's, and it leaps to what is due next when nobody works. Lives of one folder share it."""

    def __init__(self, began: int, folder: Path) -> None:
        self._began = began
        self._file = folder / "ahead"
        self._ahead = int(self._file.read_text()) if self._file.exists() else 0
        self._clock = SystemClock()

    def now(self) -> int:
        """Milliseconds."""
        real = self._clock.now()
        return real + (FASTER - 1) * (real - self._began) + self._ahead

    async def sleep(self, seconds: float) -> None:
        """A part of it."""
        await self._clock.sleep(seconds / FASTER)

    async def leaps(self, store: Store, gateway: Gateway, fate: Fate) -> None:
        """Until cancelled."""
        while True:
            await self._clock.sleep(LOOK_S)
            if not fate.idle:
                continue
            due = await Store.read(store, next_due, self.now())
            if due is not None and 1_000 * FASTER < due - self.now() < HOUR_MS and fate.idle:
                self._ahead += due - self.now() + 1
                self._file.write_text(str(self._ahead))
                for wakeup in gateway.wakeups:
                    wakeup.set()


class Parrot:
    """Answers `long` things at length and all others in a line; the newest words of a person stand in each line."""

    name = "parrot"
    size = ModelSize(window=128_000, output=4_096)

    async def answer(self, prompt: Prompt, on_text: Callable[[str], None] | None) -> ModelAnswered:
        """At once."""
        said = next(one.content for one in reversed(prompt.messages) if one.role == "user").split()[-1]
        text = f"re: {said}"
        if said.startswith("long"):
            text = "\n".join(f"line {number} of {said}, and some more words to fill it" for number in range(LINES))
        return ModelAnswered(text=text, model=self.name)


async def serve(birth: Birth) -> int:
    """Until it is killed."""
    fate, folder = Fate(birth.death), Path(birth.folder)
    time = Time(birth.began, folder)
    with open(folder / "did", "ab", buffering=0) as did:
        store = MortalStore(SqliteStore(folder / "parley.db", time.now), fate, lambda name: _note(did.fileno(), name))
        house = House(folder=folder, platform=FakePlatform(), models=[Parrot()], clock=time)
        gateway = wire(_let_in(house.world(store, [_channel(birth, time)]), birth))
        place = Place(database=folder / "parley.db", lock=FileLock(folder / "worker.lock"), grace_s=15.0)
        try:
            await run(gateway, place, lambda: time.leaps(store, gateway, fate))
        finally:
            store.close()
    return 0


def _note(descriptor: int, name: str) -> None:
    os.write(descriptor, f"{name}\n".encode())


def _let_in(world: World, birth: Birth) -> World:
    place = (birth.channel, birth.account)
    people = frozenset(birth.people)
    policy = Policy(listed={place: people}, doors={place: Door(group=GroupPolicy.OPEN, authors=people)})
    return replace(world, choices=replace(world.choices, policy=policy))


def _channel(birth: Birth, time: Time) -> AnyChannel:
    """As the gateway builds it from its settings."""
    spec = registry.load(birth.channel)
    database, workspace = Path(birth.folder) / "parley.db", Path(birth.folder) / "workspace"

    async def cursor(scope: str) -> str | None:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            where = (birth.channel, birth.account, scope)
            row = connection.execute(
                "SELECT value FROM cursors WHERE channel = ? AND account = ? AND scope = ?", where
            ).fetchone()
        return None if row is None else str(row[0])

    context = ChannelContext(
        account=birth.account,
        workspace=workspace,
        clock=time,
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        cursor=cursor,
        uploads=lambda chat: workspace / "uploads" / chat.chat_id,
    )
    channel: AnyChannel = spec.build(spec.settings.model_validate(birth.settings), context)
    return channel


def live(birth: Birth) -> int:
    """Gives the exit code, if it comes to that."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
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
