"""Parley was away, and people wrote meanwhile."""

from dataclasses import replace

from core.decide.waits import moment
from core.models.scripted import ScriptedModel, says
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePlatform

HOUR = 3_600_000
DAY = 24 * HOUR


def strict(house: House, clock: FakeClock) -> House:
    """Nothing older than a day is answered."""
    return replace(house, clock=clock, max_age=lambda chat: DAY)


def away(since: int, until: int, count: int) -> str:
    return (
        f"I was away from {moment(since)} to {moment(until)}; {count} older messages here are not answered."
        " /retry answers the last one."
    )


async def test_what_came_within_a_day_is_answered_in_order_and_older_ones_are_announced_once(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    now = clock.now()
    model.then(says("to the third"), says("to the fourth"))
    for content, age in (("first", 3 * DAY), ("second", 2 * DAY), ("third", DAY), ("fourth", HOUR)):
        platform.says("anna", content, at=now - age)
    async with opened(strict(house, clock)):
        assert (await platform.reads()).text == away(now - 3 * DAY, now, 2)
        await platform.hears("to the third")
        await platform.hears("to the fourth")
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["third", "to the third", "fourth"]
    assert len(platform.ledger.lines()) == 3


async def test_where_everything_is_too_old_each_chat_hears_of_it(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    now = clock.now()
    for n in range(5):
        platform.says("anna", f"{n}", at=now - 2 * DAY + n)
    platform.says("ben", "hello?", chat="other", at=now - 3 * DAY)
    async with opened(strict(house, clock)) as gateway:
        sent = await passing(gateway, clock, platform.reads())
        assert sent.text.endswith("; 5 older messages here are not answered. /retry answers the last one.")
        assert sent.text.startswith(f"I was away from {moment(now - 2 * DAY)} to ")
        other = await passing(gateway, clock, platform.reads(chat="other"))
        assert "; 1 older messages here" in other.text
        await passing(gateway, clock, clock.sleep(60))
    assert (model.asked, len(platform.ledger.lines())) == (0, 2)


async def test_an_old_order_is_not_obeyed(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    clock = FakeClock()
    model.then(says("hello"), says("I do"))
    anna = platform.person("anna")
    async with opened(strict(house, clock)):
        await anna.says("I am Anna", at=clock.now())
        await anna.hears("hello")
        await anna.says("/new", at=clock.now() - 2 * DAY)
        await anna.says("do you know me?", at=clock.now())
        await anna.hears("I do")
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["I am Anna", "hello", "do you know me?"]


async def test_an_announcement_that_was_due_is_made_after_a_restart(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    async with opened(strict(house, clock)):
        await platform.person("anna").says("hello?", at=clock.now() - 2 * DAY)
    async with opened(strict(house, clock)) as gateway:
        await passing(gateway, clock, platform.hears("1 older messages here are not answered"))


async def test_retry_answers_the_last_of_what_was_missed(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    now = clock.now()
    model.then(says("to before"), says("at last"), says("once more"))
    anna = platform.person("anna")
    async with opened(strict(house, clock)):
        await anna.says("before", at=now)
        await anna.hears("to before")
        await anna.says("missed 1", at=now - 2 * DAY)
        await anna.says("missed 2", at=now - 2 * DAY)
        await anna.says("/retry", at=now)
        await anna.hears("2 older messages here are not answered. /retry answers the last one.")
        await anna.hears("at last")
        assert said(model) == ["before", "to before", "missed 2"]
        await anna.says("/retry", at=now)
        await anna.hears("once more")
    assert said(model) == ["before", "to before", "missed 2"]


def said(model: ScriptedModel) -> list[str]:
    """What stood in the newest prompt, the system's words left out."""
    return [message.content for message in model.prompts[-1].messages[1:]]
