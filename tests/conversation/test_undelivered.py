"""Replies that did not reach their chat: the person is told when it works again, and the agent knows."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.errors import NotSent, SendError, Unacceptable, Unreachable
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import ScriptedModel, says
from core.store import listing, redrive
from core.store.listing import OutboxLine
from gateway.wiring import Gateway
from tests.fakes.chance import FakeChance
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePart, FakePlatform, Fault

HOUR = 3_600.0
ONE_LOST = "1 earlier replies did not reach you; the newest follows."
TWO_LOST = "2 earlier replies did not reach you; the newest follows."
BLOCKED = "(This reply did not reach the person: Unreachable: blocked.)"


class Wall:
    """Chats that take nothing, or not one text, and why."""

    def __init__(self) -> None:
        self.error: SendError | None = None
        self.only = ""
        self.calls = 0

    def channel(self, platform: FakePlatform) -> FakeChannel:
        """A channel before this wall."""
        return Walled(platform, self)


class Walled(FakeChannel):
    """Its platform takes what its wall lets through."""

    def __init__(self, platform: FakePlatform, wall: Wall) -> None:
        super().__init__(platform)
        self._wall = wall

    async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
        self._wall.calls += 1
        if self._wall.error is not None and self._wall.only in ("", part["text"]):
            raise self._wall.error
        return await super().send(chat, part, key)


@pytest.fixture
def wall() -> Wall:
    """Open at first."""
    return Wall()


@pytest.fixture
def echo() -> ScriptedModel:
    """Repeats what it was told."""

    def answer(prompt: Prompt) -> ModelAnswered:
        return says(f"to {prompt.messages[-1].content}")

    return ScriptedModel(answer, repeat_last=True)


@pytest.fixture
def walled(house: House, wall: Wall, echo: ScriptedModel) -> House:
    """A gateway before the wall."""
    return replace(house, channel=wall.channel, models=[echo])


async def until(gateway: Gateway, true: Callable[[list[OutboxLine]], bool]) -> list[OutboxLine]:
    """The outbox, oldest first, as soon as this is true of it."""
    while True:
        lines = (await gateway.world.store.read(listing.outbox_list, 100))[::-1]
        if true(lines):
            return lines
        await asyncio.sleep(0)


async def loses(gateway: Gateway, platform: FakePlatform, *questions: str) -> list[OutboxLine]:
    """Somebody asks, and what is answered is given up."""
    for question in questions:
        await platform.person("anna").says(question)
        await until(gateway, partial(_ended, f"to {question}"))
    return await until(gateway, lambda lines: all(one.closed_at for one in lines))


def _ended(answer: str, lines: list[OutboxLine]) -> bool:
    return any(line.text == answer and line.closed_at for line in lines)


async def test_a_person_is_told_once_of_what_was_lost_and_gets_the_newest_before_the_present_reply(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one", "two")
        wall.error = None
        await anna.says("three")
        for text in (TWO_LOST, "to two", "to three"):
            await anna.hears(text)
        await anna.says("four")
        await anna.hears("to four")
    assert [sent.text for sent in platform.ledger.lines()] == [TWO_LOST, "to two", "to three", "to four"]


async def test_a_chat_that_is_still_blocked_costs_the_notice_and_the_reply_and_nothing_more(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one")
        assert wall.calls == 1
        lines = await loses(gateway, platform, "two")
    assert wall.calls == 3
    assert [(line.text, line.state) for line in lines] == [
        ("to one", "dead"),
        (ONE_LOST, "dead"),
        ("to one", "dead"),
        ("to two", "dead"),
    ]


async def test_what_was_lost_is_told_after_a_restart_in_order_and_once(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one")
        wall.error = None
        platform.fails_next(Fault.HANGS)
        await anna.says("two")
        await until(gateway, lambda lines: len(lines) == 4)
    async with opened(walled):
        for text in (ONE_LOST, "to one", "to two"):
            await anna.hears(text)
        await anna.says("three")
        await anna.hears("to three")


async def test_the_answer_of_a_command_comes_after_what_was_lost(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one")
        wall.error = None
        await anna.says("/stop")
        for text in (ONE_LOST, "to one", "Nothing is running here."):
            await anna.hears(text)


async def test_only_those_who_may_speak_are_told(walled: House, wall: Wall, platform: FakePlatform) -> None:
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one")
        wall.error = None
        await platform.person("stranger").says("hello?")
        await platform.person("ben").says("two")
        for text in ("I may not answer you here.", ONE_LOST, "to one", "to two"):
            await platform.hears(text)


async def test_a_reply_that_was_given_up_after_a_day_is_told_of_too(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    clock = FakeClock()
    anna = platform.person("anna")
    async with opened(replace(walled, clock=clock, chance=FakeChance())) as gateway:
        wall.error = NotSent("connection refused")
        await anna.says("one")
        await until(gateway, lambda lines: wall.calls > 0)
        # Only now: hours that pass while a turn works are hours of work, of which it has two.
        await passing(gateway, clock, until(gateway, partial(_ended, "to one")), step=HOUR)
        wall.error = None
        await anna.says("two")
        for text in (ONE_LOST, "to one", "to two"):
            await passing(gateway, clock, anna.hears(text))


async def test_what_the_platform_refuses_for_good_is_no_loss_of_the_chat(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unacceptable("not this")
        await loses(gateway, platform, "one")
        wall.error = None
        await anna.says("two")
        await anna.hears("to two")


async def test_what_the_operator_drops_or_sends_after_all_is_not_told_of(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        (lost,) = await loses(gateway, platform, "one")
        wall.error = None
        assert await gateway.world.store.run(redrive.retry, lost.id)
        gateway.wakeups[1].set()
        await anna.hears("to one")
        await anna.says("two")
        await anna.hears("to two")


async def test_a_reply_that_is_lost_a_second_time_is_not_told_of_again(
    walled: House, wall: Wall, platform: FakePlatform
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one")
        wall.only = "to one"
        await anna.says("two")
        for text in (ONE_LOST, "to two"):
            await anna.hears(text)
        await anna.says("three")
        await anna.hears("to three")


async def test_the_agent_sees_once_what_did_not_arrive(
    walled: House, wall: Wall, platform: FakePlatform, echo: ScriptedModel
) -> None:
    anna = platform.person("anna")
    async with opened(walled) as gateway:
        wall.error = Unreachable("blocked")
        await loses(gateway, platform, "one", "two")
        wall.error = None
        await anna.says("three")
        for text in (TWO_LOST, "to two", "to three"):
            await anna.hears(text)
        told = [message.content for message in echo.prompts[-1].messages[1:]]
        # The newest is on its way again when the model is asked.
        assert told == ["one", f"to one\n\n{BLOCKED}", "two", "to two", "three"]
        await anna.says("four")
        await anna.hears("to four")
    told = [message.content for message in echo.prompts[-1].messages[1:]]
    assert told == ["one", f"to one\n\n{BLOCKED}", "two", "to two", "three", "to three", "four"]


async def test_the_agent_sees_what_was_refused_for_good(
    walled: House, wall: Wall, platform: FakePlatform, echo: ScriptedModel
) -> None:
    async with opened(walled) as gateway:
        wall.error = Unacceptable("not this")
        await loses(gateway, platform, "one")
        wall.error = None
        await platform.person("anna").says("two")
        await platform.hears("to two")
    told = [message.content for message in echo.prompts[-1].messages[1:]]
    assert told[1] == "to one\n\n(This reply did not reach the person: Unacceptable: not this.)"
