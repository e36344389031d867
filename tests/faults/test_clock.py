"""A clock that is set, on or back, by a person, a time server or a machine that slept."""

import asyncio
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.domain.errors import RateLimited
from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, hangs, says
from core.ports import ToolContext
from core.tools.ask_user import ask_user
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import FakeTool
from tests.faults.echo import echo
from tests.faults.set_clock import SetClock

HOUR = 3_600
DAY = 24 * HOUR
JUMPS = {"an hour on": HOUR, "a day on": DAY, "an hour back": -HOUR, "a day back": -DAY, "a step back": -0.1}
# Five seconds later: summer time begins, it ends, and seconds since 1970 need a 32nd bit.
MOMENTS = {
    "spring": datetime(2027, 3, 28, 0, 59, 55, tzinfo=UTC),
    "autumn": datetime(2027, 10, 31, 0, 59, 55, tzinfo=UTC),
    "2038": datetime(2038, 1, 19, 3, 14, 2, tzinfo=UTC),
}


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place with summer time."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(params=JUMPS)
def jump(request: pytest.FixtureRequest) -> float:
    """How far the clock is set, in seconds."""
    return float(JUMPS[request.param])


async def test_what_runs_while_the_clock_is_set_runs_once_and_to_its_end(
    house: House, platform: FakePlatform, model: ScriptedModel, jump: float
) -> None:
    clock, free = SetClock(), asyncio.Event()

    async def wait(arguments: str, context: ToolContext) -> ToolResult:
        await free.wait()
        return ToolResult(text="done")

    tool = FakeTool("slow", wait, replayable=False)
    model.then(calls("slow"), says("It is done."))
    async with opened(replace(house, clock=clock, tools={"slow": tool})) as gateway:
        await platform.person("anna").says("go")
        await tool.started.wait()
        clock.is_set(jump)
        await passing(gateway, clock, clock.sleep(5))
        free.set()
        await passing(gateway, clock, platform.hears("It is done."))
    assert (len(tool.runs), model.asked, len(platform.ledger.lines())) == (1, 2, 1)


async def test_what_a_dead_process_had_claimed_is_taken_up_at_once_whatever_the_clock_says_now(
    house: House, platform: FakePlatform, model: ScriptedModel, jump: float
) -> None:
    clock, after = SetClock(), house.folder / "after"
    model.then(hangs(), says("Here I am."))
    async with opened(replace(house, clock=clock)):
        await platform.person("anna").says("hello")
        while not model.asked:
            await asyncio.sleep(0)
        # As the files are when it dies at this moment.
        after.mkdir()
        for file in house.folder.glob("parley.db*"):
            shutil.copy(file, after)
    clock.is_set(jump)
    async with opened(replace(house, clock=clock, folder=after)):
        await platform.hears("Here I am.")
    assert model.asked == 2


async def test_a_retry_is_neither_early_nor_doubled_while_a_clock_is_stepped_back(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = SetClock()
    model.then(says("Here I am."))
    async with opened(replace(house, clock=clock)) as gateway:
        platform.fails_next(RateLimited("slower", retry_in=30.0))
        await platform.person("anna").says("hello")
        began = clock.now()
        while clock.now() < began + 27_000:
            await passing(gateway, clock, clock.sleep(0.5))
            clock.is_set(-0.1)
        assert platform.ledger.lines() == []
        await passing(gateway, clock, platform.hears("Here I am."))
        await passing(gateway, clock, clock.sleep(60))
    assert len(platform.ledger.lines()) == 1


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_retry_waits_as_long_as_it_was_asked_to_at_any_moment_of_the_calendar(
    house: House, platform: FakePlatform, model: ScriptedModel, moment: str
) -> None:
    clock = SetClock(round(MOMENTS[moment].timestamp() * 1000))
    model.then(says("Here I am."))
    async with opened(replace(house, clock=clock)) as gateway:
        platform.fails_next(RateLimited("slower", retry_in=30.0))
        await platform.person("anna").says("hello")
        await passing(gateway, clock, clock.sleep(27))
        assert platform.ledger.lines() == []
        await passing(gateway, clock, platform.hears("Here I am."))


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_question_expires_once_however_often_its_time_comes(
    house: House, platform: FakePlatform, model: ScriptedModel, moment: str
) -> None:
    clock = SetClock(round(MOMENTS[moment].timestamp() * 1000))
    model.then(calls("ask_user", question="Which hall?"), says("I go on without."))
    anna = platform.person("anna")
    async with opened(replace(house, clock=clock, tools={"ask_user": ask_user})) as gateway:
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        clock.is_set(HOUR)
        clock.is_set(-HOUR)
        await passing(gateway, clock, clock.sleep(5))
        assert not platform.ledger.unheard("room")
        clock.is_set(8 * DAY)
        await passing(gateway, clock, platform.reads())
        await passing(gateway, clock, platform.hears("I go on without."))
        for way in (-9 * DAY, 9 * DAY):
            clock.is_set(way)
            await passing(gateway, clock, clock.sleep(5))
        assert not platform.ledger.unheard("room")
    assert model.asked == 2


async def test_a_clock_that_steps_back_after_every_message_changes_no_order(
    house: House, platform: FakePlatform
) -> None:
    clock = SetClock()
    async with opened(replace(house, clock=clock, models=[echo()])) as gateway:
        for number in range(10):
            await platform.person("anna").says(f"{number}")
            clock.is_set(-0.1)
        for number in range(10):
            await passing(gateway, clock, platform.hears(f"re: {number}"))
    assert len(platform.ledger.lines()) == 10
