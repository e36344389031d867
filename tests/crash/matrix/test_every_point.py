"""Each point kills once, on one kind of platform after the other. `make crash` does it often, on all of them."""

from pathlib import Path

import pytest

from tests.crash.matrix.cells import Cell
from tests.crash.matrix.matrix import Matrix, Scouts, never_reached
from tests.crash.matrix.points import Moment, Point
from tests.crash.matrix.rows import EVERY_ROW, OPERATIONS, points, row
from tests.fakes.platform import Profile


def cells_of(wanted: str) -> list[Cell]:
    """The points of a row, each on the next kind of platform that has it."""
    found = []
    profiles = list(Profile)
    every = [
        point for point in points(Profile.READBACK.name) if row(point) == wanted and not _is_told_by_another(point)
    ]
    for number, point in enumerate(every):
        turned = profiles[number % len(profiles) :] + profiles[: number % len(profiles)]
        found.append(Cell(point=point, profile=next(one for one in turned if point in points(one.name))))
    return found


def _is_told_by_another(point: Point) -> bool:
    """After a look at the store nothing is different from before it."""
    return point.moment is Moment.AFTER and Moment.INSIDE not in OPERATIONS.get(point.name, {Moment.INSIDE: ""})


@pytest.mark.parametrize("wanted", [one for one in EVERY_ROW if cells_of(one)])
async def test_nothing_is_lost_repeated_or_done_twice_at(scouts: Scouts, wanted: str, tmp_path: Path) -> None:
    lines = await Matrix(scouts, seed=1, kills=1, lives=1, failed=tmp_path).run(cells_of(wanted))
    assert [one for line in lines for outcome in line.outcomes for one in outcome.findings.wrong] == []
    assert never_reached(lines) == []
