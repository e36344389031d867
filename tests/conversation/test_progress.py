"""Long work shows itself in one message, which becomes the reply."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from channels.contract import Limits
from core.domain.errors import ModelRefused, NotSent, RateLimited
from core.domain.message import says as reply
from core.domain.presence import Etiquette, Rhythm, Streaming
from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, fails, says, says_slowly, waits
from core.ports import ToolContext
from core.tools.ask_user import ask_user
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.messenger import Messenger, Signs, without_edits
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import FakeTool


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def signs() -> Signs:
    return Signs()


@pytest.fixture
def gate() -> asyncio.Event:
    """Opens when the model may answer."""
    return asyncio.Event()


@pytest.fixture
def busy(house: House, clock: FakeClock, signs: Signs) -> House:
    """On a platform that has messages only, under a clock of the test's."""
    return replace(house, clock=clock, chance=FakeChance(), channel=on_messages(signs))


def on_messages(signs: Signs, limits: Limits = LIMITS) -> Callable[[FakePlatform], Messenger]:
    return lambda platform: Messenger(platform, signs, limits=limits)


def texts(platform: FakePlatform) -> list[str]:
    """What people see at the end."""
    return [sent.text for sent in platform.ledger.lines()]


async def test_after_ten_seconds_one_message_tells_of_the_work_and_becomes_the_reply(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    began = clock.now()
    async with opened(busy) as gateway:
        await anna.says("what time is it?")
        first = await passing(gateway, clock, anna.hears("Working: thinking"))
        assert 10_000 <= clock.now() - began < 13_000
        gate.set()
        last = await passing(gateway, clock, anna.hears("It is late."))
    assert last.message_id == first.message_id
    assert texts(platform) == ["It is late."]


async def test_a_quick_reply_is_one_message_and_never_changed(
    busy: House, platform: FakePlatform, model: ScriptedModel, signs: Signs
) -> None:
    model.then(says("Hello."))
    async with opened(busy):
        await platform.person("anna").says("hi")
        await platform.hears("Hello.")
    assert (texts(platform), signs.edits) == (["Hello."], [])


async def test_the_message_names_the_step_and_changes_every_three_seconds_at_most(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, signs: Signs
) -> None:
    model.then(calls("count"), says("Counted."))
    anna = platform.person("anna")
    async with opened(replace(busy, tools={"count": _counting(clock)})) as gateway:
        await anna.says("count")
        await passing(gateway, clock, anna.hears("Working: count: "))
        while not signs.edits or signs.edits[-1] != "Counted.":
            await passing(gateway, clock, asyncio.sleep(0))
    assert texts(platform) == ["Counted."]
    changes = signs.edits[:-1]
    assert 3 <= len(changes) <= 7
    assert all(change.startswith("Working: count: ") for change in changes)


def _counting(clock: FakeClock) -> FakeTool:
    """A tool that says every second how far it is, for half a minute."""

    async def body(arguments: str, context: ToolContext) -> ToolResult:
        for second in range(30):
            context.progress(str(second))
            await clock.sleep(1)
        return ToolResult(text="30")

    return FakeTool("count", body)


async def test_a_reply_that_comes_more_than_a_minute_later_is_a_new_message_and_the_old_one_goes(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event, signs: Signs
) -> None:
    model.then(waits(gate.wait, says("At last.")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("think hard")
        first = await passing(gateway, clock, anna.hears("Working: thinking"))
        await passing(gateway, clock, _until(lambda: clock.now() >= 1_800_000_075_000), step=2)
        gate.set()
        last = await passing(gateway, clock, anna.hears("At last."))
        await _until(lambda: texts(platform) == ["At last."])
    assert last.message_id != first.message_id
    assert signs.edits == []


async def test_a_failure_takes_the_place_of_the_message_too(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, fails(ModelRefused("no key"))))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("go")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, anna.hears("I could not answer this: the model refused."))
    assert len(texts(platform)) == 1


async def test_text_is_shown_while_it_is_written_between_two_people_and_not_in_a_shared_chat(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(says_slowly("It is ", gate.wait, "late."), says_slowly("It is ", gate.wait, "late."))
    anna, ben = platform.person("anna"), platform.person("ben", chat="team", shared=True)
    async with opened(busy) as gateway:
        await anna.says("what time?")
        await passing(gateway, clock, anna.hears("It is "))
        await ben.says("what time?")
        await passing(gateway, clock, ben.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
        await passing(gateway, clock, ben.hears("It is late."))
    assert texts(platform) == ["It is late.", "It is late."]


async def test_streaming_can_be_switched_off_and_on_everywhere(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    off, everywhere = (Etiquette(streaming=streaming) for streaming in (Streaming.OFF, Streaming.ALL))
    model.then(says_slowly("It is ", gate.wait, "late."), says_slowly("So it ", gate.wait, "goes."))
    anna, ben = platform.person("anna"), platform.person("ben", chat="team", shared=True)
    async with opened(replace(busy, etiquette=off)) as gateway:
        await anna.says("what time?")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
    gate.clear()
    async with opened(replace(busy, etiquette=everywhere)) as gateway:
        await ben.says("and?")
        await passing(gateway, clock, ben.hears("So it "))
        gate.set()
        await passing(gateway, clock, ben.hears("So it goes."))


async def test_after_a_restart_the_same_message_goes_on(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("never")), waits(gate.wait, says("Here I am.")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("go")
        first = await passing(gateway, clock, anna.hears("Working: thinking"))
    async with opened(busy) as gateway:
        again = await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        last = await passing(gateway, clock, anna.hears("Here I am."))
    assert first.message_id == again.message_id == last.message_id
    assert texts(platform) == ["Here I am."]


async def test_a_stop_takes_the_message_away(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("never")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("go")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await _until(lambda: texts(platform) == ["Stopped."])


async def test_a_stop_after_a_restart_takes_away_what_the_process_before_had_sent(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("never")), waits(gate.wait, says("never")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("go")
        await passing(gateway, clock, anna.hears("Working: thinking"))
    async with opened(busy) as gateway:
        await passing(gateway, clock, _until(lambda: model.asked == 2))
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await passing(gateway, clock, _until(lambda: texts(platform) == ["Stopped."]))


async def test_a_turn_that_has_said_all_already_leaves_no_message_behind(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, calls("tell")), says("Told."))

    async def tell(arguments: str, context: ToolContext) -> ToolResult:
        await context.say(reply("Told."))
        return ToolResult(text="sent", said="Told.")

    anna = platform.person("anna")
    async with opened(replace(busy, tools={"tell": FakeTool("tell", tell)})) as gateway:
        await anna.says("tell me")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, _until(lambda: texts(platform) == ["Told."]))


async def test_a_question_is_a_message_of_its_own_and_a_parked_turn_shows_nothing(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event, signs: Signs
) -> None:
    model.then(waits(gate.wait, calls("ask_user", question="For how many?")), says("Booked."))
    anna = platform.person("anna")
    async with opened(replace(busy, tools={"ask_user": ask_user})) as gateway:
        await anna.says("book a table")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, anna.hears("For how many?"))
        await passing(gateway, clock, _until(lambda: signs.typing == [True, False]))
        assert len(texts(platform)) == 1
        await passing(gateway, clock, _until(lambda: clock.now() >= 1_800_000_040_000))
        assert len(texts(platform)) == 1
        await anna.says("four")
        await passing(gateway, clock, anna.hears("For how many?: four (Anna)"))
        await passing(gateway, clock, anna.hears("Booked."))
        await passing(gateway, clock, _until(lambda: signs.typing == [True, False] * 2))


async def test_a_message_that_somebody_deleted_does_not_lose_the_reply(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("what time is it?")
        first = await passing(gateway, clock, anna.hears("Working: thinking"))
        platform.ledger.remove(first.message_id)
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))


async def test_trouble_with_the_message_costs_nothing_but_the_message(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        platform.fails_next(NotSent("try later"))
        await anna.says("what time is it?")
        await passing(gateway, clock, _until(lambda: clock.now() >= 1_800_000_020_000))
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
    assert texts(platform) == ["It is late."]


async def test_the_message_waits_when_the_platform_asks_for_it(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        platform.fails_next(RateLimited("slower", retry_in=7))
        await anna.says("what time is it?")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        assert clock.now() >= 1_800_000_017_000
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))


async def test_the_message_waits_for_an_earlier_reply_so_that_replies_stand_in_order(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event
) -> None:
    model.then(says("first"), waits(gate.wait, says("second")))
    anna = platform.person("anna")
    async with opened(busy) as gateway:
        platform.fails_next(RateLimited("slower", retry_in=30))
        await anna.says("one")
        await anna.says("two")
        await passing(gateway, clock, anna.hears("first"))
        await passing(gateway, clock, anna.hears("Working: thinking"))
        gate.set()
        await passing(gateway, clock, anna.hears("second"))
    assert texts(platform) == ["first", "second"]


async def test_where_messages_cannot_be_changed_there_is_nothing_but_typing(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event, signs: Signs
) -> None:
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(replace(busy, channel=on_messages(signs, without_edits()))) as gateway:
        await anna.says("what time is it?")
        await passing(gateway, clock, _until(lambda: clock.now() >= 1_800_000_080_000), step=2)
        assert (texts(platform), signs.typing) == ([], [True])
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
        await passing(gateway, clock, _until(lambda: signs.typing == [True, False]))


async def test_by_letter_one_notice_comes_when_it_takes_long_and_the_reply_after_it(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event, signs: Signs
) -> None:
    letters = replace(without_edits(), rhythm=Rhythm(notice_s=20))
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(replace(busy, channel=on_messages(signs, letters))) as gateway:
        await anna.says("what time is it?")
        await passing(gateway, clock, anna.hears("Still working on this."))
        assert clock.now() >= 1_800_000_020_000
        await passing(gateway, clock, _until(lambda: clock.now() >= 1_800_000_060_000), step=2)
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
    assert texts(platform) == ["Still working on this.", "It is late."]


async def test_typing_is_shown_anew_where_it_fades(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, gate: asyncio.Event, signs: Signs
) -> None:
    fading = replace(without_edits(), rhythm=Rhythm(typing_s=4))
    model.then(waits(gate.wait, says("It is late.")))
    anna = platform.person("anna")
    async with opened(replace(busy, channel=on_messages(signs, fading))) as gateway:
        await anna.says("what time is it?")
        await passing(gateway, clock, _until(lambda: signs.typing == [True] * 3))
        assert clock.now() >= 1_800_000_008_000
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))


async def test_a_platform_that_hangs_holds_up_no_other_chat(
    busy: House, platform: FakePlatform, model: ScriptedModel, clock: FakeClock, signs: Signs
) -> None:
    model.then(calls("count"), says("Hello Ben."))
    anna, ben = platform.person("anna"), platform.person("ben", chat="b")
    async with opened(replace(busy, tools={"count": _counting(clock)})) as gateway:
        signs.edit_trouble.append(asyncio.Event().wait)
        await anna.says("count")
        await passing(gateway, clock, anna.hears("Working: count: "))
        await passing(gateway, clock, _until(lambda: not signs.edit_trouble))
        await ben.says("hi")
        await passing(gateway, clock, ben.hears("Hello Ben."))


async def _until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0)
