"""One file of a store and its gateways: each but the last one dies where it is told to."""

import asyncio
import shutil
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from tests.crash.matrix.checker import LEFT_OVER, Findings, check
from tests.crash.matrix.people import DIALOGUES, Dialogue, attend, talk
from tests.crash.matrix.platform import Platform
from tests.crash.matrix.points import Point
from tests.crash.matrix.server import Serving
from tests.crash.matrix.wire import LONGEST, Birth, Death
from tests.fakes.platform import Profile
from tests.processes.nursery import Order
from tests.processes.started import Nursery, Process, environment_in

KILLED = -9
LONGEST_LIFE_S = 600.0
SETTLED = """
SELECT NOT EXISTS (SELECT 1 FROM turns WHERE finished_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM inbound WHERE pending = 1)
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE closed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM chats WHERE owner IS NOT NULL)
"""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `kills` are the deaths that really happened."""

    findings: Findings
    kills: Sequence[Death]
    reached: Counter[Point]
    ready_s: Sequence[float]
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where episodes take place: who forks gateways, a file of a new store, a folder for what they leave."""

    nursery: Nursery
    new_file: Path
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What happens in one: the gateways die one after the other, and the last one lives."""

    name: str
    profile: Profile
    deaths: Sequence[Death] = ()
    plant: str = ""
    dialogues: Sequence[Dialogue] = field(default=DIALOGUES)


class Stage:
    """An episode while it goes on."""

    def __init__(self, ground: Ground, episode: Episode) -> None:
        self.platform = Platform(episode.profile)
        # Short, since the path of a socket has to be.
        self.folder = Path(mkdtemp(dir=ground.folder))
        self.reached: Counter[Point] = Counter()
        self.ready_s: list[float] = []
        self.ahead = 0
        self._ground = ground
        self._episode = episode
        (self.folder / "workspace").mkdir()
        shutil.copy(ground.new_file, self.folder / "parley.db")

    async def life(self, death: Death | None, talking: "asyncio.Task[None]") -> bool:
        """One gateway, until it dies (True) or until all is settled."""
        began = time.monotonic()
        async with self.started(death) as (process, serving):
            died = await self._watch(process, serving, talking, began)
        if died:
            self.platform.notes("death")
        return died

    async def rests(self) -> None:
        """A gateway that lives until all is settled; nothing more is said."""
        async with asyncio.TaskGroup() as group:
            attending = group.create_task(attend(self.platform))
            await self.life(None, group.create_task(asyncio.sleep(0)))
            attending.cancel()

    @asynccontextmanager
    async def started(
        self, death: Death | None = None, lock: str = "worker.lock"
    ) -> AsyncIterator[tuple[Process, Serving]]:
        """A gateway, and the platform's side of its line; it is killed at the end of the block."""
        serving = Serving(self.platform, death)
        socket = self.folder / f"{lock}.socket"
        connected: asyncio.Future[Streams] = asyncio.get_running_loop().create_future()

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connected.set_result((reader, writer))

        server = await asyncio.start_unix_server(connect, socket, limit=LONGEST)
        process = await self._start(self._birth(socket, death, lock))
        try:
            async with asyncio.TaskGroup() as group:
                served = group.create_task(_serve(serving, connected))
                try:
                    yield process, serving
                finally:
                    await process.is_killed()
                    if not connected.done():
                        served.cancel()
        finally:
            server.close()
            self.ahead = max(self.ahead, serving.ahead)
            self.reached += serving.reached
            socket.unlink()

    def _birth(self, socket: Path, death: Death | None, lock: str) -> Birth:
        return Birth(
            socket=str(socket),
            folder=str(self.folder),
            profile=self.platform.profile.name,
            death=death,
            ahead=self.ahead,
            plant=self._episode.plant,
            lock=lock,
        )

    async def _start(self, birth: Birth) -> Process:
        order = Order(arguments=[birth.text()], environment=environment_in(self.folder), folder=str(self.folder))
        with open("/dev/null", "rb") as nothing, open(self.folder / "log", "ab") as log:
            return await self._ground.nursery.start(order, (nothing.fileno(), log.fileno(), log.fileno()))

    async def _watch(self, process: Process, serving: Serving, talking: "asyncio.Task[None]", began: float) -> bool:
        """Whether it died before all was settled; then it was by the signal that it was to die of."""
        async with asyncio.TaskGroup() as group:
            ended = group.create_task(process.ended(within=LONGEST_LIFE_S))
            settled = group.create_task(self.settled(talking))
            ready = group.create_task(self._ready(serving, began))
            await asyncio.wait([ended, settled], return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            settled.cancel()
            if not ended.done():
                process.signals(signal.SIGKILL)
                await ended
                return False
        assert ended.result() == KILLED, f"it ended with {ended.result()}: {self._log()}"
        return True

    async def _ready(self, serving: Serving, began: float) -> None:
        await serving.ready.wait()
        self.ready_s.append(time.monotonic() - began)

    async def settled(self, talking: "asyncio.Task[None]") -> None:
        """What a gateway commits is told to the platform, so each of its commits leads to another look."""
        with closing(sqlite3.connect(f"file:{self.folder / 'parley.db'}?mode=ro", uri=True)) as connection:

            def settled() -> bool:
                quiet = talking.done() and self.platform.quiet
                return quiet and bool(connection.execute(SETTLED).fetchone()[0])

            def why() -> str:
                left = {what: connection.execute(look).fetchall() for what, look in LEFT_OVER.items()}
                words = {what: [row[0] for row in rows] for what, rows in left.items() if rows}
                return f"all said {talking.done()}, all acknowledged {self.platform.quiet}, {words}; {self._log()}"

            await self.platform.until(settled, why)

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-3000:]


async def _serve(serving: Serving, connected: "asyncio.Future[Streams]") -> None:
    await serving.serve(*await connected)


async def perform(ground: Ground, episode: Episode) -> Outcome:
    """From the first word to the check. What never settles is lost."""
    stage = Stage(ground, episode)
    kills: list[Death] = []
    broken: list[str] = []
    try:
        async with asyncio.TaskGroup() as group:
            attending = group.create_task(attend(stage.platform))
            talking = group.create_task(talk(stage.platform, episode.dialogues))
            for death in (*episode.deaths, None):
                if not await stage.life(death, talking):
                    break
                if death is not None:
                    kills.append(death)
            attending.cancel()
    except* AssertionError as failed:
        broken += [str(one) for one in _leaves(failed)]
    findings = check(stage.platform, stage.folder / "parley.db", len(kills))
    findings.lost.extend(broken)
    return Outcome(findings=findings, kills=kills, reached=stage.reached, ready_s=stage.ready_s, folder=stage.folder)


def _leaves(group: BaseExceptionGroup[AssertionError]) -> Iterator[AssertionError]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(one)
        else:
            yield one
