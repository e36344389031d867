"""Replies on their way out: told apart, put off, repeated, given up."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState, Receipt, Settled
from core.domain.errors import NotSent, RateLimited, Unacceptable, Unreachable
from core.models.scripted import ScriptedModel, says
from core.store import listing, redrive
from core.store.listing import OutboxLine
from gateway.wiring import Gateway
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePart, FakePlatform, Fault, Profile

MINUTE = 60.0


@pytest.fixture
def clock() -> FakeClock:
    """The time of this test."""
    return FakeClock()


@pytest.fixture
def timed(house: House, clock: FakeClock) -> House:
    """A gateway whose time passes when the test says so."""
    return replace(house, clock=clock, chance=FakeChance())


def narrow(platform: FakePlatform) -> FakeChannel:
    """A channel on which the label of a repeat just fits into one message."""
    return FakeChannel(platform, limits=replace(LIMITS, text=20))


async def outbox(gateway: Gateway, true: Callable[[list[OutboxLine]], bool]) -> list[OutboxLine]:
    """The replies, oldest first, as soon as this is true of them."""
    while True:
        lines = (await gateway.world.store.read(listing.outbox_list, 10))[::-1]
        if true(lines):
            return lines
        await asyncio.sleep(0)


def texts(platform: FakePlatform) -> list[str]:
    """All that the platform took, in order."""
    return [sent.text for sent in platform.ledger.lines()]


async def test_a_reply_is_not_sent_twice_because_there_was_no_connection_to_ask_over(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    class Offline(FakeChannel):
        """Finds no connection when it first asks the platform what it took."""

        asked = 0

        async def settle(self, chat: ChatKey, part: FakePart, key: str) -> Settled:
            self.asked += 1
            if self.asked == 1:
                raise NotSent("connection refused")
            return await super().settle(chat, part, key)

    platform.profile = Profile.READBACK
    model.then(says("only once"), says("and the next"))
    platform.fails_next(Fault.TAKEN_UNANSWERED)
    anna = platform.person("anna")
    async with opened(replace(timed, channel=Offline)) as gateway:
        await anna.says("hello")
        await passing(gateway, clock, anna.hears("only once"))
        await anna.says("and then?")
        await passing(gateway, clock, anna.hears("and the next"))
        (channel,) = gateway.world.channels
        assert isinstance(channel, Offline)
        assert channel.asked == 2
    assert texts(platform) == ["only once", "and the next"]


async def test_a_repeat_that_is_put_off_keeps_its_label(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.NONE
    model.then(says("the answer"))
    platform.fails_next(Fault.TAKEN_UNANSWERED)
    platform.fails_next(RateLimited("later", retry_in=30))
    anna = platform.person("anna")
    async with opened(timed) as gateway:
        await anna.says("hello")
        await anna.hears("the answer")
        await passing(gateway, clock, anna.hears("(possible repeat) the answer"), step=MINUTE)
        overview = await gateway.world.store.read(listing.overview)
    assert overview.repeated == 1
    assert texts(platform) == ["the answer", "(possible repeat) the answer"]


async def test_the_label_of_a_long_reply_goes_in_front_of_the_part_that_is_repeated(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.NONE
    model.then(says("x" * 20 + "y" * 5))
    platform.fails_next(Fault.TAKEN_UNANSWERED)
    anna = platform.person("anna")
    async with opened(replace(timed, channel=narrow)) as gateway:
        await anna.says("hello")
        await anna.hears("x")
        for part in ("(possible repeat)", "x", "y"):
            await passing(gateway, clock, anna.hears(part), step=MINUTE)
    assert texts(platform) == ["x" * 20, "(possible repeat) ", "x" * 20, "y" * 5]


async def test_a_label_that_may_have_been_taken_is_not_sent_again(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.NONE
    model.then(says("x" * 20 + "y" * 5), says("the next"))
    platform.fails_next(Fault.TAKEN_UNANSWERED, times=2)
    anna = platform.person("anna")
    async with opened(replace(timed, channel=narrow)) as gateway:
        await anna.says("hello")
        await anna.hears("x")
        await passing(gateway, clock, anna.hears("(possible repeat)"), step=MINUTE)
        await anna.says("and now?")
        await outbox(gateway, lambda lines: len(lines) == 2)
        await passing(gateway, clock, anna.hears("the next"), step=MINUTE)
        first, _ = await outbox(gateway, lambda lines: lines[-1].state == DeliveryState.SENT)
    assert (first.state, first.error) == ("dead", "sent twice; the channel cannot tell whether it arrived")
    assert texts(platform) == ["x" * 20, "(possible repeat) ", "the next"]


async def test_an_older_reply_that_waits_goes_before_a_newer_one(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("first"), says("second"))
    platform.fails_next(RateLimited("later", retry_in=30))
    anna = platform.person("anna")
    async with opened(timed) as gateway:
        await anna.says("one")
        await outbox(gateway, lambda lines: bool(lines) and lines[0].not_before > clock.now())
        await anna.says("two")
        await outbox(gateway, lambda lines: len(lines) == 2)
        # Whatever could overtake in this moment has overtaken when Ben is answered.
        model.then(says("to ben"))
        ben = platform.person("ben", chat="other")
        await ben.says("meanwhile")
        await ben.hears("to ben")
        assert platform.ledger.lines("room") == []
        await passing(gateway, clock, anna.hears("first"))
        await passing(gateway, clock, anna.hears("second"))
    assert texts(platform) == ["to ben", "first", "second"]


async def test_a_part_that_is_never_taken_ends_its_reply_and_the_next_reply_goes_out(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    class Choosy(FakeChannel):
        """Its platform takes nothing that begins with a b."""

        async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
            if part["text"].startswith("b"):
                raise Unacceptable("no b")
            return await super().send(chat, part, key)

    def choosy(platform: FakePlatform) -> FakeChannel:
        return Choosy(platform, limits=replace(LIMITS, text=5))

    model.then(says("aaaaabbbbbccccc"), says("next"))
    anna = platform.person("anna")
    async with opened(replace(house, channel=choosy)) as gateway:
        await anna.says("hello")
        await anna.hears("aaaaa")
        await anna.says("and now?")
        await anna.hears("next")
        first, _ = await outbox(gateway, lambda lines: len(lines) == 2)
    assert (first.state, first.part, first.error) == ("dead", 1, "Unacceptable: no b")
    assert texts(platform) == ["aaaaa", "next"]


async def test_a_dead_reply_goes_out_when_the_operator_retries_it(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("welcome back"))
    platform.fails_next(Unreachable("blocked"))
    async with opened(timed) as gateway:
        await platform.person("anna").says("hello")
        (dead,) = await outbox(gateway, lambda lines: bool(lines) and lines[0].state == DeliveryState.DEAD)
        assert dead.error == "Unreachable: blocked"
        assert await gateway.world.store.run(redrive.retry, dead.id)
        await passing(gateway, clock, platform.hears("welcome back"))
        (sent,) = await outbox(gateway, lambda lines: lines[0].state == DeliveryState.SENT)
    assert (sent.id, sent.error) == (dead.id, None)
