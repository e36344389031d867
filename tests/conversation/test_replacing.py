"""A reply that was to take the place of a message, and cannot: it goes out as a new one, as safely as any other."""

import asyncio
from dataclasses import replace

import pytest

from channels.contract import Limits
from core.domain.errors import Unacceptable
from core.domain.pace import Once
from core.models.scripted import ScriptedModel, calls, says, waits
from core.tools.ask_user import ask_user
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.messenger import Messenger, Signs, without_edits
from tests.fakes.platform import FakePlatform, Fault, Profile

REPEATED = "(possible repeat) It is late."


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def gate() -> asyncio.Event:
    """Opens when the model may answer."""
    return asyncio.Event()


def on(profile: Profile, house: House, clock: FakeClock, signs: Signs, limits: Limits = LIMITS) -> House:
    """On a platform that has messages only, and these means against repeats."""
    platform = FakePlatform(profile=profile)

    def channel(platform: FakePlatform) -> Messenger:
        return Messenger(platform, signs, limits=limits)

    return replace(house, platform=platform, clock=clock, chance=FakeChance(), channel=channel)


def texts(platform: FakePlatform) -> list[str]:
    """What people see at the end."""
    return [sent.text for sent in platform.ledger.lines()]


@pytest.mark.parametrize(
    ("profile", "seen"),
    [
        (Profile.KEY, ["It is late."]),
        (Profile.READBACK, ["It is late."]),
        (Profile.NONE, ["It is late.", REPEATED]),
    ],
)
async def test_a_new_message_for_one_that_was_deleted_is_settled_before_it_goes_out_again(
    profile: Profile, seen: list[str], house: House, clock: FakeClock, model: ScriptedModel, gate: asyncio.Event
) -> None:
    model.then(waits(gate.wait, says("It is late.")), says("Still here."))
    busy = on(profile, house, clock, Signs())
    anna = busy.platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("what time is it?")
        first = await passing(gateway, clock, anna.hears("Working: thinking"))
        busy.platform.ledger.remove(first.message_id)
        busy.platform.fails_next(Fault.TAKEN_UNANSWERED)
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
        if len(seen) > 1:
            await passing(gateway, clock, anna.hears(REPEATED), step=30)
        await anna.says("and now?")
        await passing(gateway, clock, anna.hears("Still here."))
    assert texts(busy.platform) == [*seen, "Still here."]


async def test_a_message_that_cannot_become_the_reply_goes_away_after_it(
    house: House, clock: FakeClock, model: ScriptedModel, gate: asyncio.Event
) -> None:
    signs = Signs()
    model.then(waits(gate.wait, says("It is late.")))
    busy = on(Profile.KEY, house, clock, signs)
    anna = busy.platform.person("anna")
    async with opened(busy) as gateway:
        await anna.says("what time is it?")
        await passing(gateway, clock, anna.hears("Working: thinking"))
        signs.edit_trouble.extend([Unacceptable("too old to be changed"), Unacceptable("too old to be changed")])
        gate.set()
        await passing(gateway, clock, anna.hears("It is late."))
        while len(texts(busy.platform)) > 1:
            await passing(gateway, clock, asyncio.sleep(0))
    assert texts(busy.platform) == ["It is late."]


async def test_a_placeholder_that_somebody_deleted_is_sent_once_more_and_edited(
    house: House, clock: FakeClock, model: ScriptedModel
) -> None:
    signs = Signs()
    model.then(says("It is late."))
    busy = on(Profile.EDIT, house, clock, signs, replace(LIMITS, once=Once.PLACEHOLDER))
    anna = busy.platform.person("anna")

    async def deleted() -> None:
        (placeholder,) = busy.platform.ledger.lines()
        busy.platform.ledger.remove(placeholder.message_id)

    signs.edit_trouble.append(deleted)
    async with opened(busy) as gateway:
        await anna.says("what time is it?")
        await passing(gateway, clock, anna.hears("…"))
        await passing(gateway, clock, anna.hears("…"))
        await passing(gateway, clock, anna.hears("It is late."))
    assert texts(busy.platform) == ["It is late."]


async def test_where_nothing_can_be_edited_the_end_of_a_question_is_settled_like_any_message(
    house: House, clock: FakeClock, model: ScriptedModel
) -> None:
    busy = on(Profile.READBACK, house, clock, Signs(), limits=without_edits())
    model.then(calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]), says("Booked."))
    anna = busy.platform.person("anna")
    async with opened(replace(busy, tools={"ask_user": ask_user})) as gateway:
        await anna.says("book a hall")
        await passing(gateway, clock, anna.hears("Which hall?"))
        busy.platform.fails_next(Fault.TAKEN_UNANSWERED)
        await anna.says("Hall 4")
        await passing(gateway, clock, anna.hears("Which hall?: Hall 4 (Anna)"))
        await passing(gateway, clock, anna.hears("Booked."))
    assert len(texts(busy.platform)) == 3
