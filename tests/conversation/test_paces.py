"""Replies keep to the pace of the platform, and to what it asks for, and one chat delays no other."""

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest

from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState
from core.domain.errors import RateLimited
from core.domain.pace import Pace, Scope
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import ScriptedModel, says
from core.store import listing
from core.store.listing import OutboxLine
from gateway.wiring import Gateway
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.paced import Calls
from tests.fakes.platform import FakePlatform

ONE_A_SECOND = Pace(scope=Scope.CHAT, per_s=1)
TWO_IN_ALL = Pace(scope=Scope.ACCOUNT, per_s=2)


@pytest.fixture
def clock() -> FakeClock:
    """The time of this test."""
    return FakeClock()


@pytest.fixture
def timed(house: House, clock: FakeClock) -> House:
    """A gateway whose time passes when the test says so; its model repeats what it was told."""

    def echo(prompt: Prompt) -> ModelAnswered:
        return says(f"to {prompt.messages[-1].content}")

    model = ScriptedModel(echo, repeat_last=True)
    return replace(house, clock=clock, chance=FakeChance(), models=[model])


async def lines(gateway: Gateway) -> list[OutboxLine]:
    """What the outbox holds, oldest first."""
    return (await gateway.world.store.read(listing.outbox_list, 100))[::-1]


async def hear_all(platform: FakePlatform, chat: str, *texts: str) -> None:
    """The next messages in a chat, in this order."""
    for text in texts:
        await platform.hears(text, chat=chat, within=20)


@pytest.mark.parametrize("asked", [1, 30, 3_600, 0.25])
async def test_no_call_goes_to_a_chat_before_the_platform_wants_one_and_other_chats_are_not_delayed(
    timed: House, clock: FakeClock, platform: FakePlatform, asked: float
) -> None:
    calls = Calls(clock)
    platform.fails_next(RateLimited("slower", retry_in=asked))
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        await platform.person("anna", chat="slow").says("one")
        while not (await lines(gateway) and calls.made):
            await asyncio.sleep(0)
        await platform.person("anna", chat="slow", thread="aside").says("two")
        # The clock stands still: whoever waits for anything hears nothing.
        for n in range(5):
            await platform.person("ben", chat=f"c{n}").says("hello")
            await platform.hears("to hello", chat=f"c{n}")
        await passing(gateway, clock, hear_all(platform, "slow", "to"), step=max(asked / 5, 0.05))
        await passing(gateway, clock, hear_all(platform, "slow", "to"), step=0.5)
    first, *others = calls.to("slow")
    assert min(others) - first >= asked * 1000
    assert len(others) == 2


async def test_a_limit_on_everything_holds_up_every_chat_also_after_a_restart(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock)
    platform.fails_next(RateLimited("slower", retry_in=60, everywhere=True))
    house = replace(timed, channel=calls.channel)
    async with opened(house) as gateway:
        await platform.person("anna", chat="a").says("one")
        while [line.error for line in await lines(gateway)] != ["RateLimited: slower"]:
            await asyncio.sleep(0)
        await platform.person("ben", chat="b").says("two")
        while len(await lines(gateway)) < 2:
            await asyncio.sleep(0)
        await clock.advance(50)
    assert len(calls.made) == 1
    async with opened(house) as gateway:
        await platform.person("carl", chat="c").says("three")
        while len(await lines(gateway)) < 3:
            await asyncio.sleep(0)
        for chat, text in (("a", "to one"), ("b", "to two"), ("c", "to three")):
            await passing(gateway, clock, platform.hears(text, chat=chat))
    first, *others = [at for at, _ in calls.made]
    assert min(others) - first >= 60_000
    assert platform.ledger.taken == 3


async def test_a_limit_on_one_chat_is_none_for_the_others(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock, TWO_IN_ALL)
    platform.fails_next(RateLimited("slower", retry_in=600))
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        await platform.person("anna", chat="a").says("one")
        while not calls.made:
            await asyncio.sleep(0)
        await platform.person("ben", chat="b").says("two")
        await passing(gateway, clock, platform.hears("to two", chat="b"), step=0.1)
    assert calls.to("b")[0] - calls.to("a")[0] < 5_000


async def test_replies_of_one_chat_keep_its_pace_and_their_order(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock, ONE_A_SECOND)
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        for n in range(4):
            await platform.person("anna").says(f"question {n}")
        said = hear_all(platform, "room", *(f"to question {n}" for n in range(4)))
        await passing(gateway, clock, said, step=0.1)
    assert len(calls.made) == 4
    assert all(after - before >= 1_000 for before, after in pairwise(calls.to("room")))


async def test_the_threads_of_a_chat_share_its_pace_and_another_chat_does_not(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock, ONE_A_SECOND)
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        for n in range(3):
            await platform.person("anna", thread=f"t{n}").says("hello")
        await platform.person("ben", chat="other").says("hello")
        await platform.hears("to hello", chat="other")  # the clock has not moved
        await passing(gateway, clock, hear_all(platform, "room", *["to hello"] * 3), step=0.1)
    assert all(after - before >= 1_000 for before, after in pairwise(sorted(calls.to("room"))))


async def test_what_all_chats_share_is_shared_in_turn(timed: House, clock: FakeClock, platform: FakePlatform) -> None:
    calls = Calls(clock, TWO_IN_ALL, ONE_A_SECOND)
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        for chat in range(4):
            for n in range(3):
                await platform.person("anna", chat=f"c{chat}").says(f"question {n}")
        for chat in range(4):
            said = hear_all(platform, f"c{chat}", *(f"to question {n}" for n in range(3)))
            await passing(gateway, clock, said, step=0.1)
    assert len(calls.made) == 12
    assert all(after - before >= 500 for (before, _), (after, _) in pairwise(calls.made))
    # Twelve calls at two a second, and nobody has to wait until another chat is through.
    assert calls.made[-1][0] - calls.made[0][0] < 8_000
    assert {chat for _, chat in calls.made[:8]} == {f"c{n}" for n in range(4)}


async def test_a_part_that_waits_for_its_pace_was_surely_not_sent_when_the_process_ends(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock, ONE_A_SECOND, limits=replace(LIMITS, text=9))
    house = replace(timed, channel=calls.channel)
    async with opened(house) as gateway:
        await platform.person("anna").says("aaaaaabbbbbbbbbccc")
        await platform.hears("to aaaaaa")
        while [line.part for line in await lines(gateway)] != [1]:
            await asyncio.sleep(0)
        assert [line.state for line in await lines(gateway)] == [DeliveryState.NEW]
    async with opened(house) as gateway:
        await passing(gateway, clock, hear_all(platform, "room", "bbbbbbbbb", "ccc"), step=0.25)
    assert [sent.text for sent in platform.ledger.lines()] == ["to aaaaaa", "bbbbbbbbb", "ccc"]


async def test_a_platform_that_takes_ten_seconds_in_one_chat_delays_none_of_the_other_49(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    async def slow(chat: ChatKey) -> None:
        if chat.chat_id == "c0":
            await clock.sleep(10)

    calls = Calls(clock, Pace(scope=Scope.ACCOUNT, per_s=30, burst=200), before=slow)
    async with opened(replace(timed, channel=calls.channel)) as gateway:
        for round_ in range(3):
            for n in range(50):
                platform.says("anna", f"question {round_}", chat=f"c{n}")
        # Time stands still until all others have heard everything.
        for n in range(1, 50):
            await hear_all(platform, f"c{n}", *(f"to question {round_}" for round_ in range(3)))
        assert platform.ledger.lines("c0") == []
        said = hear_all(platform, "c0", *(f"to question {round_}" for round_ in range(3)))
        await passing(gateway, clock, said, step=1)
    assert platform.ledger.taken == 150


async def test_a_lane_that_nothing_came_of_gives_its_call_back(
    timed: House, clock: FakeClock, platform: FakePlatform
) -> None:
    calls = Calls(clock, Pace(scope=Scope.CHAT, per_s=0.001, burst=3))
    async with opened(replace(timed, channel=calls.channel)):
        for n in range(3):
            await platform.person("anna").says(f"question {n}")
            await platform.hears(f"to question {n}")  # three calls are all there are for a long time
    assert len(calls.made) == 3
