"""All points on all kinds of platforms, each until it has killed often enough; what was wrong can be replayed."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from core.store.store import open_sqlite
from tests.crash.matrix.cells import Cell, Ways
from tests.crash.matrix.checker import Findings
from tests.crash.matrix.episode import Episode, Ground, Outcome, perform
from tests.crash.matrix.people import DIALOGUES, Dialogue
from tests.crash.matrix.points import Moment, Point
from tests.crash.matrix.rows import points
from tests.crash.matrix.wire import Death
from tests.fakes.clock import FakeClock
from tests.fakes.platform import Profile
from tests.processes.started import Nursery

SIDE_BY_SIDE = 2
# Episodes that a cell is given for each kill that it is to have.
PATIENCE = 4
MODULE = "tests.crash.matrix.gateway"


@dataclass(slots=True, eq=False)
class Line:
    """One line of the table. `reached` counts how often the point was passed or died at."""

    cell: Cell
    kills: int = 0
    episodes: int = 0
    reached: int = 0
    outcomes: list[Outcome] = field(default_factory=list)

    def count(self, kind: str) -> int:
        """How many findings of a kind."""
        return sum(len(_found(outcome.findings, kind)) for outcome in self.outcomes)


def _found(findings: Findings, kind: str) -> Sequence[str]:
    found = asdict(findings)[kind]
    assert isinstance(found, list)
    return found


@contextmanager
def opened() -> Iterator[Ground]:
    """Somewhere to play, as long as the block lasts; socket paths have to be short."""
    with TemporaryDirectory(prefix="crash-") as name:
        folder = Path(name)
        new_file = folder / "new.db"
        open_sqlite(new_file, FakeClock()).close()
        with Nursery.opened(folder / "nursery", MODULE) as nursery:
            yield Ground(nursery=nursery, new_file=new_file, folder=folder)


def cells(profiles: Sequence[Profile] = tuple(Profile)) -> Sequence[Cell]:
    """Every point on every kind of platform that has it."""
    return [Cell(point=point, profile=profile) for profile in profiles for point in points(profile.name)]


class Scouts:
    """Find out, once for each kind of platform, by which points each dialogue comes when nobody dies."""

    def __init__(self, ground: Ground, always: Profile | None = None) -> None:
        self.ground = ground
        self._always = always
        self._ways: dict[Profile, Ways] = {}

    async def ways(self, profile: Profile) -> Ways:
        """What they found; on a platform of the kind `always`, if that is near enough."""
        profile = self._always or profile
        if profile not in self._ways:
            self._ways[profile] = {dialogue: await self._way(profile, dialogue) for dialogue in DIALOGUES}
        return self._ways[profile]

    async def _way(self, profile: Profile, dialogue: Dialogue) -> Counter[Point]:
        outcome = await perform(self.ground, Episode(name="way", profile=profile, dialogues=[dialogue]))
        assert not outcome.findings.wrong, outcome.findings.wrong
        shutil.rmtree(outcome.folder)
        return outcome.reached


class Matrix:
    """A run: the same seed gives the same episodes, each of so many `lives` that end and one that does not."""

    def __init__(self, scouts: Scouts, *, seed: int, kills: int, failed: Path | None = None, lives: int) -> None:
        self.lines: list[Line] = []
        self._scouts = scouts
        self._seed = seed
        self._kills = kills
        self._failed = failed
        self._lives = lives

    async def run(self, wanted: Sequence[Cell], done: Callable[[Line], None] = lambda line: None) -> Sequence[Line]:
        """Every cell until it has its kills, two side by side."""
        profiles = dict.fromkeys(cell.profile for cell in wanted)
        ways = {profile: await self._scouts.ways(profile) for profile in profiles}
        self.lines = [Line(cell=cell) for cell in wanted]
        left = iter(self.lines)

        async def work() -> None:
            for line in left:
                await self._fill(line, ways[line.cell.profile])
                done(line)

        async with asyncio.TaskGroup() as group:
            for _ in range(SIDE_BY_SIDE):
                group.create_task(work())
        return self.lines

    async def _fill(self, line: Line, ways: Ways) -> None:
        for episode in line.cell.episodes(self._seed, ways, self._lives):
            outcome = await perform(self._scouts.ground, episode)
            at = [death for death in outcome.kills if death.point == line.cell.point]
            line.kills += len(at)
            line.reached += len(at) + outcome.reached[line.cell.point]
            line.episodes += 1
            line.outcomes.append(outcome)
            if outcome.findings.wrong:
                self._keep(episode, outcome)
            shutil.rmtree(outcome.folder)
            if line.kills >= self._kills or line.episodes >= PATIENCE * self._kills:
                return

    def _keep(self, episode: Episode, outcome: Outcome) -> None:
        """What is needed to play it again, and the store as it was left."""
        if self._failed is not None:
            kept = self._failed / episode.name
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(outcome.folder, kept)
            (kept / "episode.json").write_text(text_of(episode))
            (kept / "wrong.txt").write_text("\n".join(outcome.findings.wrong) + "\n")


def text_of(episode: Episode) -> str:
    """One episode as JSON."""
    told = {
        **asdict(episode),
        "profile": episode.profile.name,
        "dialogues": [one.__name__ for one in episode.dialogues],
    }
    return json.dumps(told, indent=2) + "\n"


def episode_of(text: str, name: str) -> Episode:
    """The same episode under another name."""
    told = json.loads(text)
    deaths = [Death(name=one["name"], moment=Moment(one["moment"]), nth=one["nth"]) for one in told["deaths"]]
    dialogues = [one for one in DIALOGUES if one.__name__ in told["dialogues"]]
    profile = Profile[told["profile"]]
    return Episode(name=name, profile=profile, deaths=deaths, plant=told["plant"], dialogues=dialogues)


def never_reached(lines: Sequence[Line]) -> Sequence[Cell]:
    """The points at which nobody ever was killed."""
    return [line.cell for line in lines if not line.kills]
