"""The matrix finds bugs: each that is planted turns it red, in the column where it belongs."""

import signal
from dataclasses import asdict, replace

import pytest

from tests.crash.matrix.checker import Findings, check
from tests.crash.matrix.episode import Episode, Ground, Stage, perform
from tests.crash.matrix.people import Person, plain
from tests.crash.matrix.plants import BLIND, HASTY, NO_FENCE, NO_KEY, SURE
from tests.crash.matrix.platform import Platform
from tests.crash.matrix.points import Moment, Point
from tests.crash.matrix.wire import Death
from tests.fakes.platform import Profile

STORES = Point(name="inbox.accept of a message", moment=Moment.INSIDE)
STORED = Point(name="inbox.accept of a message", moment=Moment.AFTER)
TAKEN = Point(name="Channel.send", moment=Moment.TAKEN)


@pytest.mark.parametrize(
    ("bug", "point", "profile", "column"),
    [
        (HASTY, STORES, Profile.KEY, "lost"),
        (NO_KEY, STORED, Profile.KEY, "repeated"),
        (BLIND, TAKEN, Profile.READBACK, "repeated"),
        (BLIND, TAKEN, Profile.NONE, "repeated"),
        (SURE, TAKEN, Profile.READBACK, "repeated"),
    ],
)
async def test_a_planted_bug_is_found(ground: Ground, bug: str, point: Point, profile: Profile, column: str) -> None:
    # Not every message is a reply: some only tell of the work, and nobody minds when they are repeated.
    deaths = [Death(name=point.name, moment=point.moment, nth=2)] * 3
    episode = Episode(name=bug, profile=profile, deaths=deaths, plant=bug, dialogues=[plain])
    outcome = await perform(ground, episode)
    assert outcome.kills
    assert asdict(outcome.findings)[column]
    assert (await perform(ground, replace(episode, plant=""))).findings.wrong == []


async def comes_back_late(ground: Ground, name: str, plant: str) -> Findings:
    """A gateway sleeps while the model answers it, and wakes when another one has taken its turn over and ended it."""
    stage = Stage(ground, Episode(name=name, profile=Profile.KEY, plant=plant))
    platform = stage.platform
    anna = Person(platform=platform, chat="late")
    first, second, _ = (anna.says("@ late") for _ in range(3))
    async with stage.started(lock="first.lock") as (sleeper, serving):
        await anna.begun(first)
        serving.sends_to_sleep()
        async with stage.started(lock="second.lock"):
            await platform.until(lambda: platform.happened[f"asked {first.text}"] == 2, "the other one has begun")
            platform.notes("late")
            await anna.begun(second)
            before = _came_back(platform)
            sleeper.signals(signal.SIGCONT)
            await platform.until(lambda: _came_back(platform) > before, "the first one came back")
    return check(platform, stage.folder / "parley.db", kills=0)


def _came_back(platform: Platform) -> int:
    """It ends its turn, or gives it up."""
    return platform.happened["endings.finish"] + platform.happened["claims.release"]


async def test_a_gateway_that_comes_back_late_writes_nothing(ground: Ground) -> None:
    found = await comes_back_late(ground, "late", plant="")
    assert found.repeated == []
    assert found.reordered == []


async def test_without_a_fence_it_would_answer_once_more(ground: Ground) -> None:
    found = await comes_back_late(ground, "late-planted", plant=NO_FENCE)
    assert any("has 2 replies" in one for one in found.repeated)
