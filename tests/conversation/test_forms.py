"""What a platform refuses for good, and what it cannot tell of: other forms of a reply, and the end of it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.errors import NotSent, RateLimited, Unacceptable, Unreachable
from core.domain.message import Markdown, OutgoingFile, Reply
from core.domain.pace import Once
from core.models.scripted import ScriptedModel, says
from core.store import listing, redrive
from core.store.listing import OutboxLine
from gateway.wiring import Gateway
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePart, FakePlatform, Fault, Profile

HOUR = 3_600.0
MINUTE = 60.0


@pytest.fixture
def clock() -> FakeClock:
    """The time of this test."""
    return FakeClock()


@pytest.fixture
def timed(house: House, clock: FakeClock) -> House:
    """A gateway whose time passes when the test says so."""
    return replace(house, clock=clock, chance=FakeChance())


class Strict(FakeChannel):
    """Marks markup with a star, and its platform takes none."""

    def render(self, reply: Reply) -> Sequence[FakePart]:
        parts = super().render(reply)
        marked = any(isinstance(fragment, Markdown) for fragment in reply.fragments)
        return [FakePart({**part, "text": f"*{part['text']}"}) for part in parts] if marked else parts

    async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
        if part["text"].startswith("*"):
            raise Unacceptable("bad markup")
        return await super().send(chat, part, key)


def strict_and_narrow(platform: FakePlatform) -> FakeChannel:
    """The same with short messages."""
    return Strict(platform, limits=replace(LIMITS, text=4))


def holding(platform: FakePlatform) -> FakeChannel:
    """A channel that never repeats."""
    return FakeChannel(platform, limits=replace(LIMITS, once=Once.HOLD))


def placing(platform: FakePlatform) -> FakeChannel:
    """A channel that begins with a placeholder."""
    return FakeChannel(platform, limits=replace(LIMITS, text=20, once=Once.PLACEHOLDER))


async def until(gateway: Gateway, true: Callable[[list[OutboxLine]], bool]) -> list[OutboxLine]:
    """The outbox, oldest first, as soon as this is true of it."""
    while True:
        lines = (await gateway.world.store.read(listing.outbox_list, 100))[::-1]
        if true(lines):
            return lines
        await asyncio.sleep(0)


def states(*wanted: str) -> Callable[[list[OutboxLine]], bool]:
    """Whether these are the states of all deliveries."""
    return lambda lines: [line.state for line in lines] == list(wanted)


def texts(platform: FakePlatform) -> list[str]:
    """All that the platform shows, in order."""
    return [sent.text for sent in platform.ledger.lines()]


# --- refused for good ---


async def test_a_reply_whose_markup_is_refused_goes_out_as_plain_text(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("_bold_"))
    async with opened(replace(house, channel=Strict)) as gateway:
        await platform.person("anna").says("hello")
        await platform.hears("_bold_")
        (line,) = await until(gateway, states("sent"))
    assert (line.attempt, line.error) == (1, None)


async def test_a_reply_is_tried_as_plain_text_once_also_over_a_restart(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("_bold_"), says("next"))
    platform.fails_next(Unacceptable("bad markup"))
    platform.fails_next(RateLimited("later", retry_in=60))
    async with opened(timed) as gateway:
        await platform.person("anna").says("hello")
        await until(gateway, lambda lines: bool(lines) and lines[0].error == "RateLimited: later")
    platform.fails_next(Unacceptable("not this either"))
    async with opened(timed) as gateway:
        await passing(gateway, clock, until(gateway, states("dead")), step=MINUTE)
        await platform.person("anna").says("and now?")
        await platform.hears("next")
        dead, _ = await until(gateway, states("dead", "sent"))
    assert dead.error == "Unacceptable: not this either"
    assert texts(platform) == ["next"]


async def test_parts_that_are_out_are_not_repeated_as_plain_text(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    class Late(Strict):
        """Its platform takes markup until the second message."""

        async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
            if part["text"] == "*aaaa":
                return await FakeChannel.send(self, chat, part, key)
            return await super().send(chat, part, key)

    model.then(says("aaaabbbbcc"))
    async with opened(replace(house, channel=lambda one: Late(one, limits=replace(LIMITS, text=4)))) as gateway:
        await platform.person("anna").says("hello")
        for text in ("*aaaa", "bbbb", "cc"):
            await platform.hears(text)
        await until(gateway, states("sent"))
    assert texts(platform) == ["*aaaa", "bbbb", "cc"]


async def test_a_long_reply_as_plain_text_goes_on_after_a_restart_where_it_was(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    house = replace(timed, channel=strict_and_narrow)
    model.then(says("aaaabbbbcc"))
    platform.fails_next(RateLimited("later", retry_in=60))
    async with opened(house) as gateway:
        await platform.person("anna").says("hello")
        await until(gateway, lambda lines: bool(lines) and lines[0].error == "RateLimited: later")
    async with opened(house) as gateway:
        await passing(gateway, clock, until(gateway, states("sent")), step=MINUTE)
    assert texts(platform) == ["aaaa", "bbbb", "cc"]


async def test_a_text_without_markup_that_is_refused_is_dead_at_once(house: House, platform: FakePlatform) -> None:
    platform.fails_next(Unacceptable("not this"))
    async with opened(house) as gateway:
        await platform.person("anna").says("/stop")
        (line,) = await until(gateway, states("dead"))
        await platform.person("anna").says("/stop")
        await platform.hears("Nothing is running here.")
    assert (line.attempt, line.error) == (1, "Unacceptable: not this")


async def test_a_chat_that_takes_nothing_costs_one_call_and_goes_on_when_it_does(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    platform.fails_next(Unreachable("blocked"))
    async with opened(house) as gateway:
        await platform.person("anna").says("hello")
        (line,) = await until(gateway, states("dead"))
        assert (line.attempt, line.error) == (1, "Unreachable: blocked")
        overview = await gateway.world.store.read(listing.overview)
        assert [(one.id, one.error) for one in overview.dead_letters] == [(line.id, "Unreachable: blocked")]
        await platform.person("ben", chat="other").says("hello")
        await platform.hears("two", chat="other")


async def test_a_reply_is_given_up_after_a_day_of_tries_that_come_ever_later(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    tries: list[int] = []

    class Away(FakeChannel):
        """Its platform is never there."""

        async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
            tries.append(clock.now())
            raise NotSent("connection refused")

    def settled(lines: list[OutboxLine]) -> bool:
        return bool(lines) and (lines[0].state == "dead" or (lines[0].state, lines[0].attempt) == ("new", len(tries)))

    model.then(says("never"))
    async with opened(replace(timed, channel=Away)) as gateway:
        await platform.person("anna").says("hello")
        (line,) = await until(gateway, settled)
        while line.state != "dead":
            await clock.advance((line.not_before - clock.now()) / 1000)
            gateway.wakeups[1].set()
            (line,) = await until(gateway, settled)
    assert line.error == "NotSent: connection refused"
    assert tries[-2] - tries[0] < 24 * HOUR * 1000 <= tries[-1] - tries[0]
    waits = [after - before for before, after in pairwise(tries)]
    # The middle of what chance could give: this one always says a half.
    assert waits == [min(500 * 2**n, 450_000) for n in range(len(waits))]


# --- cannot tell ---


async def test_a_channel_that_holds_never_repeats_and_the_operator_finds_what_it_held(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.NONE
    model.then(says("perhaps"), says("next"))
    platform.fails_next(Fault.HANGS)
    house = replace(timed, channel=holding)
    async with opened(house) as gateway:
        await platform.person("anna").says("hello")
        await until(gateway, states("sending"))
    async with opened(house) as gateway:
        (line,) = await until(gateway, states("dead"))
        assert line.error == "the channel cannot tell whether it arrived"
        await platform.person("anna").says("and now?")
        await platform.hears("next")
        assert texts(platform) == ["next"]
        assert await gateway.world.store.run(redrive.retry, line.id)
        await passing(gateway, clock, platform.hears("perhaps"))


@pytest.mark.parametrize("edits", [False, True], ids=["the placeholder", "the text"])
@pytest.mark.parametrize("fault", [Fault.HANGS, Fault.TAKEN_UNANSWERED])
async def test_a_placeholder_makes_a_text_visible_once_whatever_was_cut_off(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel, fault: Fault, edits: bool
) -> None:
    platform.profile = Profile.EDIT
    model.then(says("only once"), says("the next"))
    platform.fails_next(fault, edits=edits)
    house = replace(timed, channel=placing)
    async with opened(house) as gateway:
        await platform.person("anna").says("hello")
        await until(gateway, lambda lines: bool(lines) and not platform.faults and not platform.edit_faults)
        if fault is Fault.TAKEN_UNANSWERED:
            await passing(gateway, clock, until(gateway, states("sent")))
    async with opened(house) as gateway:
        await passing(gateway, clock, until(gateway, states("sent")), step=1)
        await platform.person("anna").says("and now?")
        await passing(gateway, clock, until(gateway, states("sent", "sent")), step=1)
    shown = texts(platform)
    assert [text for text in shown if text != "…"] == ["only once", "the next"]
    assert shown.count("…") <= 1


async def test_every_part_of_a_long_reply_begins_as_a_placeholder(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.EDIT
    model.then(says("x" * 20 + "y" * 5))
    async with opened(replace(house, channel=placing)) as gateway:
        await platform.person("anna").says("hello")
        for text in ("…", "x" * 20, "…", "y" * 5):
            await platform.hears(text)
        await until(gateway, states("sent"))
    assert texts(platform) == ["x" * 20, "y" * 5]


async def test_what_no_placeholder_can_become_is_repeated_with_its_label(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.EDIT
    file = OutgoingFile(path="a.txt", name="a.txt")
    model.then(says("see"))

    class WithFile(FakeChannel):
        """Adds a file to whatever it says."""

        def render(self, reply: Reply) -> Sequence[FakePart]:
            return super().render(replace(reply, files=(file,)))

    limits = replace(LIMITS, once=Once.PLACEHOLDER)
    platform.fails_next(Fault.TAKEN_UNANSWERED)
    async with opened(replace(timed, channel=lambda one: WithFile(one, limits=limits))) as gateway:
        await platform.person("anna").says("hello")
        await platform.hears("see")
        await passing(gateway, clock, platform.hears("(possible repeat) see"), step=MINUTE)
        await until(gateway, states("sent"))
    assert texts(platform) == ["see", "(possible repeat) see"]


async def test_an_edit_that_is_cut_off_again_and_again_is_tried_ever_later(
    timed: House, clock: FakeClock, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.EDIT
    model.then(says("at last"))
    platform.fails_next(Fault.TAKEN_UNANSWERED, times=6, edits=True)
    async with opened(replace(timed, channel=placing)) as gateway:
        before = clock.now()
        await platform.person("anna").says("hello")
        (line,) = await passing(gateway, clock, until(gateway, states("sent")), step=0.25)
    assert line.attempt == 7
    assert clock.now() - before >= 500 * (2 + 4 + 8 + 16)
    assert texts(platform) == ["at last"]
