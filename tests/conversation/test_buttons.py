"""Answers by buttons: whoever presses, whenever."""

import asyncio
from dataclasses import replace

import pytest

from core.models.scripted import ScriptedModel, calls, says, together, waits
from core.tools.ask_user import ask_user
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.store.desk import choices_of

WHICH_HALL = calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"])
CLOSED = "This question is closed."


@pytest.fixture
def asking(house: House) -> House:
    return replace(house, tools={"ask_user": ask_user})


async def test_a_button_is_an_answer(asking: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        await anna.presses(card, "Hall 4")
        closed = await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
    assert (closed.message_id, closed.choices) == (card.message_id, ())
    assert model.prompts[-1].messages[-1].content == "User reply: Hall 4"


async def test_a_button_of_somebody_else_is_refused_and_the_question_stays(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 3 it is."))
    anna, ben = platform.person("anna"), platform.person("ben")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        await ben.presses(card, "Hall 4")
        await ben.hears("This question is for Anna.")
        await anna.presses(card, "Hall 3")
        await anna.hears("Which hall?: Hall 3 (Anna)")
        await anna.hears("Hall 3 it is.")


async def test_a_stranger_who_presses_is_told_nothing(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 3 it is."))
    anna, mallory = platform.person("anna"), platform.person("mallory")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        await mallory.presses(card, "Hall 4")
        await anna.presses(card, "Hall 3")
        await anna.hears("Which hall?: Hall 3 (Anna)")
        await anna.hears("Hall 3 it is.")


async def test_the_second_of_two_presses_is_too_late(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(WHICH_HALL, waits(gate.wait, says("Hall 4 it is.")))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        await anna.presses(card, "Hall 4")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.presses(card, "Hall 3")
        await anna.hears(CLOSED)
        gate.set()
        await anna.hears("Hall 4 it is.")
    assert model.prompts[-1].messages[-1].content == "User reply: Hall 4"


async def test_a_button_after_the_answer_was_typed_or_the_turn_was_stopped_is_too_late(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."), WHICH_HALL)
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        typed = await anna.hears("Which hall?")
        await anna.says("2")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
        await anna.presses(typed, "Hall 3")
        await anna.hears(CLOSED)
        await anna.says("and the other one")
        stopped = await anna.hears("Which hall?")
        await anna.says("/stop")
        await anna.hears("Which hall?: cancelled")
        await anna.hears("Stopped.")
        await anna.presses(stopped, "Hall 3")
        await anna.hears(CLOSED)


async def test_a_button_works_after_a_restart(asking: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
    async with opened(asking):
        await anna.presses(card, "Hall 4")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
    assert model.asked == 2


async def test_a_button_pressed_while_nobody_runs_counts_once_it_is_handed_out(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
    event = platform.presses("anna", card, "Hall 4")
    async with opened(asking):
        await platform.acknowledges(event)
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")


async def test_a_question_that_is_not_shown_yet_cannot_be_answered_by_its_token(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    one = calls("ask_user", question="One?", choices=["a", "b"])
    two = calls("ask_user", question="Two?", choices=["c", "d"])
    model.then(together(one, two), says("both"))
    anna = platform.person("anna")
    async with opened(asking) as gateway:
        await anna.says("go")
        first = await anna.hears("One?")
        hidden = await gateway.world.store.read(choices_of, "Two?")
        platform.hands_out(platform.pressed("anna", hidden["c"]))
        await anna.hears(CLOSED)
        await anna.presses(first, "a")
        await anna.hears("One?: a (Anna)")
        second = await anna.hears("Two?")
        await anna.presses(second, "d")
        await anna.hears("Two?: d (Anna)")
        await anna.hears("both")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == ["User reply: a", "User reply: d"]


@pytest.mark.parametrize("token", ["", "guess", "Hall 4", "1"])
async def test_a_guessed_token_answers_nothing(
    asking: House, platform: FakePlatform, model: ScriptedModel, token: str
) -> None:
    model.then(WHICH_HALL, says("Hall 3 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        platform.hands_out(platform.pressed("anna", token))
        await anna.hears(CLOSED)
        await anna.presses(card, "Hall 3")
        await anna.hears("Which hall?: Hall 3 (Anna)")
        await anna.hears("Hall 3 it is.")


async def test_a_button_in_another_chat_answers_nothing(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 3 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        platform.hands_out(platform.pressed("anna", card.tokens[0], chat="elsewhere"))
        await platform.hears(CLOSED, chat="elsewhere")
        await anna.presses(card, "Hall 3")
        await anna.hears("Which hall?: Hall 3 (Anna)")
        await anna.hears("Hall 3 it is.")


async def test_the_same_press_delivered_twice_is_one_answer(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."), says("Anything else?"))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        card = await anna.hears("Which hall?")
        event = await anna.presses(card, "Hall 4")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
        platform.events.add(event)
        await platform.acknowledges(event)
        await anna.says("hm")
        await anna.hears("Anything else?")
