"""One conversation on one platform: the first gateway dies where it is told to, the second one lives."""

import asyncio
import os
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tests.crash.matrix.episode import KILLED, SETTLED
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.crash.real.fronts import CONVERSATIONS, Front, Platform, opened
from tests.crash.real.gateway import LINES, Birth
from tests.processes.nursery import Order
from tests.processes.started import Nursery, Process, environment_in

PATIENCE_S = 90.0
IN_FLIGHT = "SELECT count(*) FROM outbox WHERE state = 'sending'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `unsure` counts the messages that were on their way when it died; `repeats` what stands twice.

    `came_by` counts every operation and call of the first life, in a run without a death.
    """

    died: bool
    lost: Sequence[str]
    misplaced: Sequence[str]
    repeats: int
    unsure: int
    came_by: Counter[Death]

    def faults(self, platform: Platform) -> Sequence[str]:
        """What must not be."""
        found = [f"lost: {one}" for one in self.lost] + [f"out of order: {one}" for one in self.misplaced]
        most = self.unsure if platform.repeats else 0
        return [*found, f"{self.repeats} repeats, {most} allowed"] if self.repeats > most else found


class Stage:
    """A folder, a platform, and the gateway that lives now."""

    def __init__(self, nursery: Nursery, new_file: Path, platform: Platform, death: Death | None) -> None:
        self.folder = Path(mkdtemp(dir=new_file.parent))
        self.came_by: Counter[Death] = Counter()
        self._nursery = nursery
        self._platform = platform
        self._death = death
        self._began = int(time.time() * 1000)
        self._process: Process | None = None
        (self.folder / "workspace").mkdir()
        shutil.copy(new_file, self.folder / "parley.db")

    def moments(self, method: str, moment: str) -> bool:
        """A call came to a moment: whether the caller is dead now."""
        point = Death(name=method, moment=Moment(moment), nth=0)
        self.came_by[point] += 1
        death = self._death
        if death is None or self._process is None or (death.name, death.moment) != (method, point.moment):
            return False
        if self.came_by[point] != death.nth:
            return False
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        return True

    async def life(self, front: Front, death: Death | None) -> bool:
        """Whether it died before all was settled."""
        own = death if death is not None and death.moment in (Moment.BEFORE, Moment.INSIDE, Moment.AFTER) else None
        birth = Birth(
            channel=self._platform.channel,
            account=self._platform.account,
            settings=front.settings,
            people=list(self._platform.people),
            folder=str(self.folder),
            began=self._began,
            death=own,
        )
        order = Order(arguments=[birth.text()], environment=environment_in(self.folder), folder=str(self.folder))
        with open("/dev/null", "rb") as nothing, open(self.folder / "log", "ab") as log:
            self._process = process = await self._nursery.start(order, (nothing.fileno(), log.fileno(), log.fileno()))
        async with asyncio.TaskGroup() as group:
            ended = group.create_task(process.ended(within=600))
            settled = group.create_task(self._settled(front))
            await asyncio.wait([ended, settled], return_when=asyncio.FIRST_COMPLETED)
            settled.cancel()
            died = ended.done()
            if not died:
                process.signals(signal.SIGKILL)
                await ended
        assert ended.result() == KILLED, f"it ended with {ended.result()}: {self.log()}"
        return died

    async def _settled(self, front: Front) -> None:
        with closing(sqlite3.connect(f"file:{self.folder / 'parley.db'}?mode=ro", uri=True)) as connection:
            async with asyncio.timeout(PATIENCE_S):
                while not (front.quiet() and not lost(front.shown()) and connection.execute(SETTLED).fetchone()[0]):
                    await asyncio.sleep(0.02)

    def unsure(self) -> int:
        """How many messages were on their way."""
        with closing(sqlite3.connect(f"file:{self.folder / 'parley.db'}?mode=ro", uri=True)) as connection:
            return int(connection.execute(IN_FLIGHT).fetchone()[0])

    def log(self) -> str:
        """The end of it."""
        return (self.folder / "log").read_text(errors="replace")[-3000:]

    def operations(self) -> Counter[Death]:
        """Every moment of every operation of the store, as a run without a death came by them."""
        found: Counter[Death] = Counter()
        for name in (self.folder / "did").read_text().splitlines():
            for moment in (Moment.BEFORE, Moment.INSIDE, Moment.AFTER):
                found[Death(name=name, moment=moment, nth=0)] += 1
        return found


def marks(word: str) -> Sequence[str]:
    """What has to be seen of the answer to a word, once each."""
    if word.startswith("long"):
        return [f"line {number} of {word}," for number in (0, LINES // 2, LINES - 1)]
    return [f"re: {word}"]


def lost(shown: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """What nobody has seen."""
    wanted = [(name, mark) for name, words in CONVERSATIONS.items() for word in words for mark in marks(word)]
    return [mark for name, mark in wanted if not any(mark in text for text in shown[name])]


def repeats(shown: Mapping[str, Sequence[str]]) -> int:
    """How often something stands once more."""
    wanted = [(name, mark) for name, words in CONVERSATIONS.items() for word in words for mark in marks(word)]
    return sum(max(0, sum(mark in text for text in shown[name]) - 1) for name, mark in wanted)


def misplaced(shown: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """What stands before something that was said earlier."""
    found = []
    for name, words in CONVERSATIONS.items():
        order = [mark for word in words for mark in marks(word)]
        places = [next((n for n, text in enumerate(shown[name]) if mark in text), -1) for mark in order]
        found += [mark for mark, here, after in zip(order, places, places[1:], strict=False) if here > after >= 0]
    return found


async def perform(nursery: Nursery, new_file: Path, platform: Platform, death: Death | None = None) -> Outcome:
    """From the first word until everything is settled, or until it never will be."""
    stage = Stage(nursery, new_file, platform, death)
    unsure, died = 0, False
    async with opened(platform, stage.moments) as front:
        async with asyncio.TaskGroup() as group:
            group.create_task(front.talks())
            with suppress(TimeoutError):
                died = await stage.life(front, death)
                if died:
                    unsure = stage.unsure()
                    await stage.life(front, None)
        shown = front.shown()
    came_by = stage.came_by + (stage.operations() if death is None else Counter())
    shutil.rmtree(stage.folder)
    return Outcome(
        died=died,
        lost=lost(shown),
        misplaced=misplaced(shown),
        repeats=repeats(shown),
        unsure=unsure,
        came_by=came_by,
    )
