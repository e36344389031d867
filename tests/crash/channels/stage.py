"""Gateways with a real channel that die one after the other, in front of a platform that does not.

For another channel write a `Wire`: what its people do on its fake, and what stands there. `perform` does the rest.
"""

import asyncio
import os
import re
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Protocol

from tests.crash.channels.birth import Birth
from tests.crash.channels.gateway import LINES
from tests.crash.matrix.checker import LEFT_OVER
from tests.crash.matrix.episode import KILLED, SETTLED
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.fakes.wire import Json
from tests.processes.nursery import Order
from tests.processes.started import Nursery, Process, environment_in

MODULE = "tests.crash.channels.gateway"
PATIENCE_S = 60.0
LINE = re.compile(r"e\d+ line \d+ of")
LONG = re.compile(r"(e\d+) long")
REPLY = re.compile(r"re (e\d+) (\w+)")


class Wire(Protocol):
    """A platform on loopback, and the people on it."""

    @property
    def channel(self) -> str:
        """The name of the channel."""

    @property
    def account(self) -> str:
        """How the platform names the bot."""

    @property
    def since(self) -> float:
        """When its time began to run."""

    @property
    def settings(self) -> Json:
        """Those of the channel."""

    @property
    def people(self) -> Sequence[str]:
        """Ids of whoever is let in."""

    @property
    def places(self) -> Sequence[str]:
        """The conversations."""

    async def says(self, place: str, words: str) -> str:
        """Somebody says it to the bot; gives the id of the message, as the store has it."""

    async def chooses(self, place: str, words: str) -> bool:
        """Press the last button of a message with these words; False while there is none."""

    def closed(self, place: str, words: str) -> bool:
        """Whether a message with these words has no buttons any more."""

    def shown(self, place: str) -> Sequence[str]:
        """The words of all that the bot has there, oldest first."""

    @contextmanager
    def deadly(self, death: Death | None, pid: int) -> Iterator[None]:
        """While it lasts, the platform kills this process where the death is a call of the platform's own."""


@dataclass(eq=False, slots=True)
class Found:
    """What is wrong, each in a sentence."""

    lost: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    left_over: list[str] = field(default_factory=list)
    reached: Counter[str] = field(default_factory=Counter)
    kills: int = 0

    @property
    def wrong(self) -> Sequence[str]:
        """All that must not be."""
        return [*self.lost, *self.repeated, *self.reordered, *self.left_over]


class Stage:
    """One store, its gateways, and what people say to them."""

    def __init__(self, nursery: Nursery, wire: Wire, folder: Path) -> None:
        self.wire = wire
        self.folder = folder
        self.found = Found()
        self._nursery = nursery
        self._said: dict[str, list[str]] = {place: [] for place in wire.places}
        self._stored: set[str] = set()
        self._numbers = iter(range(1_000))
        (folder / "workspace").mkdir()

    async def greets(self) -> None:
        """The first words in each place, when the very first connection stands: what was said before does not count."""
        while not self._has_begun():
            await asyncio.sleep(0.05)
        for place in self.wire.places:
            await self._says(place, "plain")

    def _has_begun(self) -> bool:
        with suppress(sqlite3.OperationalError):
            return bool(self._rows("SELECT 1 FROM cursors"))
        return False

    async def _says(self, place: str, wish: str) -> str:
        event = f"e{next(self._numbers)}"
        self._said[place].append(f"{event} {wish}")
        self._stored.add(await self.wire.says(place, f"{event} {wish}"))
        return event

    async def talks(self) -> None:
        """In every place at once."""
        async with asyncio.TaskGroup() as group:
            for place in self.wire.places:
                group.create_task(self._talk(place))

    async def _talk(self, place: str) -> None:
        for wish in ("plain", "long", "count", "ask", "plain"):
            event = await self._says(place, wish)
            if wish == "ask":
                await self._until_closed(place, f"{event} which?")

    async def _until_closed(self, place: str, words: str) -> None:
        """Presses again, as a person does to whom nothing happens."""
        while not self.wire.closed(place, words):
            await self.wire.chooses(place, words)
            await asyncio.sleep(0.3)

    async def attends(self) -> None:
        """Whoever is asked whether an interrupted call shall run again says no. Until cancelled."""
        while True:
            for place in self.wire.places:
                await self.wire.chooses(place, "I was interrupted")
            await asyncio.sleep(0.3)

    async def life(self, death: Death | None, talking: "asyncio.Task[None]") -> bool:
        """One gateway, until it dies (True) or until all is settled."""
        async with self._started(death) as process, asyncio.TaskGroup() as group:
            ended = group.create_task(process.ended(within=2 * PATIENCE_S))
            settled = group.create_task(self._settled(talking))
            await asyncio.wait([ended, settled], return_when=asyncio.FIRST_COMPLETED)
            died = ended.done()
            settled.cancel()
            process.signals(signal.SIGKILL)
            assert await ended == KILLED, f"it ended with {ended.result()}: {self._log()}"
        self.found.kills += died
        return died

    @asynccontextmanager
    async def _started(self, death: Death | None) -> AsyncIterator[Process]:
        wire = self.wire
        birth = Birth(
            folder=str(self.folder),
            channel=wire.channel,
            account=wire.account,
            settings=wire.settings,
            people=tuple(wire.people),
            since=wire.since,
            death=death,
        )
        order = Order(arguments=[birth.text()], environment=environment_in(self.folder), folder=str(self.folder))
        with open("/dev/null", "rb") as nothing, open(self.folder / "log", "ab") as log:
            process = await self._nursery.start(order, (nothing.fileno(), log.fileno(), log.fileno()))
        with wire.deadly(death, process.pid):
            try:
                yield process
            finally:
                await process.is_killed()

    async def _settled(self, talking: "asyncio.Task[None]") -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not (talking.done() and self._is_settled()):
                await asyncio.sleep(0.05)

    def _is_settled(self) -> bool:
        rows = self._rows("SELECT message_id FROM inbound WHERE message_id IS NOT NULL")
        return self._stored <= {str(row[0]) for row in rows} and bool(self._rows(SETTLED)[0][0])

    def _rows(self, statement: str) -> Sequence[tuple[object, ...]]:
        with closing(sqlite3.connect(f"file:{self.folder / 'parley.db'}?mode=ro", uri=True)) as connection:
            return connection.execute(statement).fetchall()

    def check(self) -> None:
        """What was said, what stands there, and what the store says, held against each other."""
        for place, said in self._said.items():
            self._check(place, said)
        counted = Counter(self._lines("counted"))
        self.found.repeated += [f"{key} ran {count} times" for key, count in counted.items() if count > 1]
        for what, statement in LEFT_OVER.items():
            self.found.left_over += [f"{what}: {row[0]}" for row in self._rows(statement)]
        self.found.reached.update(self._lines("reached"))

    def _check(self, place: str, said: Sequence[str]) -> None:
        shown = self.wire.shown(place)
        heard = [f"{event} {wish}" for text in shown for event, wish in REPLY.findall(text)]
        self.found.lost += [f"{one} in {place} has no reply" for one in sorted(set(said) - set(heard))]
        self.found.repeated += [f"{one} in {place} has two replies" for one in (Counter(heard) - Counter(set(heard)))]
        self.found.repeated += [text for text in shown if text.startswith("(possible repeat)")]
        if sorted(set(heard), key=said.index) != list(dict.fromkeys(heard)):
            self.found.reordered.append(f"{place}: {heard} instead of {said}")
        self._check_long(Counter(LINE.findall("\n".join(shown))), LONG.findall("\n".join(said)))

    def _check_long(self, lines: Mapping[str, int], events: Sequence[str]) -> None:
        """A reply of several messages: each of its lines, once."""
        for event in events:
            counts = [lines.get(f"{event} line {n} of", 0) for n in range(LINES)]
            if 0 in counts:
                self.found.lost.append(f"{event}: {counts.count(0)} lines are not there")
            if max(counts) > 1:
                self.found.repeated.append(f"{event}: a line stands there {max(counts)} times")

    def _lines(self, name: str) -> Sequence[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else ()

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-3000:]


async def perform(nursery: Nursery, wire: Wire, folder: Path, deaths: Sequence[Death]) -> Found:
    """From the first word to the check; what never settles is lost."""
    stage = Stage(nursery, wire, Path(mkdtemp(dir=folder)))
    try:
        async with asyncio.TaskGroup() as group:
            await stage.life(None, group.create_task(stage.greets()))
            talking = group.create_task(stage.talks())
            attending = group.create_task(stage.attends())
            for death in (*deaths, None):
                if not await stage.life(death, talking):
                    break
            attending.cancel()
            talking.cancel()
    except* (TimeoutError, AssertionError) as failed:
        stage.found.lost.append(f"never settled: {failed.exceptions} {stage._log()}")
    stage.check()
    return stage.found


@contextmanager
def opened() -> Iterator[tuple[Nursery, Path]]:
    """A nursery and a folder, short since the path of a socket has to be."""
    with TemporaryDirectory(prefix="pc") as made:
        folder = Path(made)
        with Nursery.opened(folder / "nursery", MODULE) as nursery:
            yield nursery, folder


def points(reached: Mapping[str, int]) -> Sequence[Death]:
    """Each operation of the store that was come by, at each of its moments, in the middle of its times."""
    moments = (Moment.BEFORE, Moment.INSIDE, Moment.AFTER)
    return [
        Death(name=name, moment=moment, nth=max(1, count // 2))
        for name, count in sorted(reached.items())
        for moment in moments
    ]


def kill(pid: int) -> None:
    """As `kill -9`; nothing when it is gone already."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
