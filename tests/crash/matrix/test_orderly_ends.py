"""A gateway that is told to end while turns are at work: in time, in good order, and nothing is lost or done again."""

import signal

import pytest

from tests.crash.matrix.checker import check
from tests.crash.matrix.episode import Episode, Ground, Stage
from tests.crash.matrix.people import Person
from tests.fakes.platform import Profile

IN_TIME_S = 20.0


@pytest.mark.parametrize("turns", [0, 1, 50])
async def test_whoever_is_told_to_end_leaves_all_for_the_next_one(ground: Ground, turns: int) -> None:
    stage = Stage(ground, Episode(name="told to end", profile=Profile.READBACK))
    platform = stage.platform
    people = [Person(platform=platform, chat=f"chat{number}") for number in range(turns)]
    asking = [one.says("@ patient") for one in people[::2]]
    pressing = [one.says("@ press") for one in people[1::2]]
    async with stage.started() as (process, serving):
        await serving.ready.wait()
        for person, event in zip(people[::2], asking, strict=True):
            await person.begun(event)
        await platform.until(lambda: platform.happened["presses"] == len(pressing), "all press")
        process.signals(signal.SIGTERM)
        platform.notes("enough")
        assert await process.ended(within=IN_TIME_S) == 0
    for event in asking:
        platform.notes(f"go {event.text}")
    await stage.rests()
    assert check(platform, stage.folder / "parley.db", kills=0).wrong == []
    assert list(platform.counted.values()) == [1] * len(pressing)
    assert [platform.happened[f"asked {event.text}"] for event in asking] == [2] * len(asking)
