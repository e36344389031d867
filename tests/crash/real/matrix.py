"""Every point that a conversation comes by, on every real channel."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.crash.real.episode import perform
from tests.crash.real.fronts import Platform
from tests.processes.started import Nursery

THE_CALLERS = (Moment.ARRIVED, Moment.TAKEN, Moment.ANSWERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Who forks gateways, and a file of a new store."""

    nursery: Nursery
    new_file: Path


@contextmanager
def ground() -> Iterator[Ground]:
    """Until the block ends."""
    with TemporaryDirectory(prefix="real-") as folder:
        new_file = Path(folder) / "new.db"
        open_sqlite(new_file, SystemClock()).close()
        with Nursery.opened(Path(folder) / "nursery", "tests.crash.real.gateway") as nursery:
            yield Ground(nursery=nursery, new_file=new_file)


async def points(ground: Ground, platform: Platform) -> Counter[Death]:
    """What a run without a death comes by, and how often; of the platform's calls those that matter."""
    found = await perform(ground.nursery, ground.new_file, platform)
    assert not found.faults(platform), found
    assert found.repeats == 0
    wanted = {
        point: times
        for point, times in found.came_by.items()
        if point.moment not in THE_CALLERS or point.name in platform.calls
    }
    return Counter(wanted)


def deaths(found: Counter[Death], seed: str) -> Sequence[Death]:
    """One for each point, at a time that chance chooses."""
    chance = random.Random(seed)
    ordered = sorted(found, key=lambda one: (one.name, one.moment))
    return [replace(point, nth=chance.randint(1, found[point])) for point in ordered]
