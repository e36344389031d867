"""Platforms that hand out the same event again, late, or in no order."""

from dataclasses import replace
from random import Random

import pytest

from core.models.scripted import ScriptedModel, calls, says
from core.tools.ask_user import ask_user
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import Event, FakePlatform
from tests.faults.echo import echo

DAY = 24 * 3_600
EVENTS = 20
CHATS = 4
# So many of the twenty come only after the rest, as those whose first delivery was not acknowledged.
LATE = 5


async def again(platform: FakePlatform, *events: Event) -> None:
    """Hand out what was acknowledged long ago, and see it acknowledged once more."""
    for event in events:
        platform.events.add(event)
        await platform.acknowledges(event)


@pytest.mark.parametrize("copies", range(1, 6))
async def test_an_event_is_answered_once_however_often_it_comes(
    house: House, platform: FakePlatform, model: ScriptedModel, copies: int
) -> None:
    clock = FakeClock()
    strict = replace(house, clock=clock, max_age=lambda chat: DAY * 1_000)
    model.then(says("Hello."), says("I am here."))
    anna = platform.person("anna")
    async with opened(strict):
        event = platform.says("anna", "hello", at=clock.now())
        for _ in range(copies - 1):
            platform.events.add(event)
        await platform.acknowledges(event)
        await anna.hears("Hello.")
        await again(platform, *[event] * (copies - 1))
    async with opened(strict) as gateway:
        await again(platform, *[event] * copies)
        await clock.advance(3 * DAY)
        await again(platform, *[event] * copies)
        # Nor is it something that came too late to be answered.
        await passing(gateway, clock, clock.sleep(60), step=10)
        await anna.says("are you there?", at=clock.now())
        await passing(gateway, clock, anna.hears("I am here."))
    assert (model.asked, len(platform.ledger.lines())) == (2, 2)


async def test_an_order_and_an_answer_that_come_again_do_nothing_again(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("ask_user", question="Which hall?"), says("Hall 3."), says("new"), says("It was mentioned."), says("bye")
    )
    anna = platform.person("anna")
    async with opened(replace(house, tools={"ask_user": ask_user})):
        asked = await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        answer = await anna.says("3")
        await anna.hears("Which hall?: 3 (Anna)")
        await anna.hears("Hall 3.")
        anew = await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("remember me")
        await anna.hears("new")
        await again(platform, anew, answer, asked, anew)
        await anna.says("was I mentioned?")
        await anna.hears("It was mentioned.")
        await again(platform, answer, anew, asked)
        await anna.says("bye")
        await anna.hears("bye")
    assert [message.content for message in model.prompts[-1].messages[1:]] == [
        *("remember me", "new", "was I mentioned?", "It was mentioned.", "bye")
    ]


@pytest.mark.parametrize("seed", range(5))
async def test_a_chat_is_answered_in_the_order_of_acceptance_and_nothing_is_lost(
    house: House, platform: FakePlatform, seed: int
) -> None:
    clock = FakeClock()
    shuffled = Random(seed).sample(range(EVENTS), EVENTS)
    early, late = shuffled[:-LATE], shuffled[-LATE:]
    async with opened(replace(house, clock=clock, models=[echo()])) as gateway:
        for numbers in (early, late):
            for number in numbers:
                # The time that the platform gives them does not count, only when they were taken.
                platform.says("anna", f"{number:02}", chat=f"c{number % CHATS}", at=clock.now() + number)
            for number in numbers:
                await passing(gateway, clock, platform.hears("re: ", chat=f"c{number % CHATS}"))
            await passing(gateway, clock, clock.sleep(300), step=30)
    for chat in range(CHATS):
        accepted = [number for number in shuffled if number % CHATS == chat]
        assert [sent.text for sent in platform.ledger.lines(f"c{chat}")] == [f"re: {number:02}" for number in accepted]
