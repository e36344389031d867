"""Reactions on people's messages: taken, waiting, done."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.domain.errors import ModelRefused, NotSent, RateLimited
from core.domain.presence import Ack, Etiquette, Reaction
from core.models.scripted import ScriptedModel, calls, fails, says, waits
from core.tools.ask_user import ask_user
from tests.fakes.chance import FakeChance
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.messenger import Messenger, Signs
from tests.fakes.platform import Event, FakePlatform, Person

QUEUED, TAKEN, DONE, FAILED = Reaction.QUEUED, Reaction.TAKEN, Reaction.DONE, Reaction.FAILED


@pytest.fixture
def signs() -> Signs:
    return Signs()


@pytest.fixture
def team(house: House, signs: Signs) -> House:
    """On a platform with reactions."""
    return replace(house, channel=lambda platform: Messenger(platform, signs))


@pytest.fixture
def anna(platform: FakePlatform) -> Person:
    """In a chat of several people."""
    return platform.person("anna", shared=True)


async def _sees(signs: Signs, event: Event, *reactions: Reaction) -> None:
    """The message had these reactions, one after the other, and has the last of them now."""
    message_id = str(event.body["message"])
    async with asyncio.timeout(5):
        while signs.of(message_id) != list(reactions):
            await asyncio.sleep(0)
    assert signs.on.get(message_id, set()) == set(reactions[-1:])


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0)


async def test_in_a_shared_chat_eyes_say_that_a_message_is_taken_and_a_check_mark_that_it_is_done(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("Done.")))
    async with opened(team):
        event = await anna.says("do it")
        await _sees(signs, event, TAKEN)
        gate.set()
        await anna.hears("Done.")
        await _sees(signs, event, TAKEN, DONE)


async def test_a_failure_is_marked_as_one(team: House, anna: Person, model: ScriptedModel, signs: Signs) -> None:
    model.then(fails(ModelRefused("no key")))
    async with opened(team):
        event = await anna.says("do it")
        await anna.hears("I could not answer this: ")
        await _sees(signs, event, TAKEN, FAILED)


async def test_what_waits_has_an_hourglass_until_its_turn_comes(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    gates = [asyncio.Event(), asyncio.Event()]
    model.then(*(waits(gate.wait, says(f"{number}.")) for number, gate in enumerate(gates)))
    async with opened(team):
        first, second = await anna.says("first"), await anna.says("second")
        await _sees(signs, second, QUEUED)
        gates[0].set()
        await anna.hears("0.")
        await _sees(signs, second, QUEUED, TAKEN)
        await _sees(signs, first, TAKEN, DONE)
        gates[1].set()
        await anna.hears("1.")
        await _sees(signs, second, QUEUED, TAKEN, DONE)


@pytest.mark.parametrize(
    ("ack", "shared", "reacts"),
    [(Ack.SHARED, False, False), (Ack.ALL, False, True), (Ack.OFF, True, False)],
)
async def test_the_operator_says_where_there_are_reactions(
    team: House, platform: FakePlatform, model: ScriptedModel, signs: Signs, ack: Ack, shared: bool, reacts: bool
) -> None:
    model.then(says("Done."), says("Done."))
    anna, ben = platform.person("anna", shared=shared), platform.person("ben", chat="b", shared=shared)
    async with opened(replace(team, etiquette=Etiquette(ack=ack))):
        first = await anna.says("do it")
        await anna.hears("Done.")
        if reacts:
            await _sees(signs, first, TAKEN, DONE)
        await ben.says("and this")
        await ben.hears("Done.")
    assert bool(signs.history) is reacts


async def test_a_stop_marks_what_ran_and_what_waited(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    model.then(waits(asyncio.Event().wait, says("never")))
    async with opened(team):
        first, second = await anna.says("first"), await anna.says("second")
        await _sees(signs, second, QUEUED)
        await anna.says("/stop")
        await anna.hears("Stopped. 1 waiting messages dropped.")
        await _sees(signs, first, TAKEN, FAILED)
        await _sees(signs, second, QUEUED, FAILED)


async def test_a_question_leaves_the_eyes_until_its_turn_has_ended(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    model.then(calls("ask_user", question="For how many?"), says("Booked."))
    async with opened(replace(team, tools={"ask_user": ask_user})):
        event = await anna.says("book a table")
        await anna.hears("For how many?")
        await _sees(signs, event, TAKEN)
        await anna.says("four")
        await anna.hears("For how many?: four (Anna)")
        await anna.hears("Booked.")
        await _sees(signs, event, TAKEN, DONE)


async def test_after_a_restart_the_last_reaction_comes_from_whoever_ends_the_turn(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    gate = asyncio.Event()
    model.then(waits(asyncio.Event().wait, says("never")), waits(gate.wait, says("Done.")), says("And that."))
    async with opened(team):
        first, second = await anna.says("do it"), await anna.says("and that")
        await _sees(signs, first, TAKEN)
        await _sees(signs, second, QUEUED)
        await _until(lambda: model.asked == 1)
    async with opened(team):
        await _until(lambda: model.asked == 2)
        gate.set()
        await anna.hears("Done.")
        await anna.hears("And that.")
        await _until(lambda: [signs.on.get(str(event.body["message"])) for event in (first, second)] == [{DONE}] * 2)


async def test_commands_and_refused_messages_have_none(
    team: House, anna: Person, platform: FakePlatform, model: ScriptedModel, signs: Signs
) -> None:
    model.then(says("hi"))
    async with opened(team):
        await anna.says("/status")
        await anna.hears("Running: idle")
        await platform.person("mallory", shared=True).says("let me in")
        await anna.hears("I may not answer you here.")
        event = await anna.says("hi")
        await anna.hears("hi")
        await _sees(signs, event, TAKEN, DONE)
    assert {message_id for message_id, _ in signs.history} == {event.body["message"]}


@pytest.mark.parametrize("trouble", [NotSent("no"), ZeroDivisionError("a bug"), asyncio.Event().wait], ids=str)
async def test_a_reaction_that_fails_or_hangs_costs_nothing_but_itself(
    team: House, anna: Person, model: ScriptedModel, signs: Signs, trouble: Exception | Callable[[], object]
) -> None:
    signs.trouble.append(trouble)  # type: ignore[arg-type]
    model.then(says("Done."), says("Again."))
    async with opened(team):
        await anna.says("do it")
        await anna.hears("Done.")
        await anna.says("again")
        await anna.hears("Again.")


async def test_a_reaction_comes_later_when_the_platform_asks_for_it(
    team: House, anna: Person, model: ScriptedModel, signs: Signs
) -> None:
    clock, gate = FakeClock(), asyncio.Event()
    signs.trouble.append(RateLimited("slower", retry_in=5))
    model.then(waits(gate.wait, says("Done.")))
    async with opened(replace(team, clock=clock, chance=FakeChance())) as gateway:
        event = await anna.says("do it")
        await passing(gateway, clock, _sees(signs, event, TAKEN))
        assert clock.now() >= 1_800_000_005_000
        gate.set()
        await passing(gateway, clock, _sees(signs, event, TAKEN, DONE))
