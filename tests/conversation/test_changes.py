"""People edit and delete what they said."""

import asyncio
from dataclasses import replace

from core.models.scripted import ScriptedModel, calls, hangs, says, waits
from core.tools.ask_user import ask_user
from tests.conversation.watching import asked
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform


async def test_an_edit_of_a_waiting_message_is_what_the_agent_reads(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("first")), says("second"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("work")
        await asked(model)
        waiting = await anna.says("buy miIk")
        await anna.edits(waiting, "buy milk")
        gate.set()
        await anna.hears("first")
        await anna.hears("second")
    assert model.prompts[-1].messages[-1].content == "buy milk"


async def test_a_waiting_message_edited_to_a_command_is_read_by_the_agent(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("first")), says("that is a command"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("work")
        await asked(model)
        waiting = await anna.says("later")
        await anna.edits(waiting, "/stop")
        gate.set()
        await anna.hears("first")
        await anna.hears("that is a command")
    assert model.prompts[-1].messages[-1].content == "/stop"


async def test_a_deleted_message_is_not_answered_and_not_remembered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("first")), says("third"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("work")
        await asked(model)
        regretted = await anna.says("my password is swordfish")
        await anna.says("go on")
        await anna.deletes(regretted)
        gate.set()
        await anna.hears("first")
        await anna.hears("third")
    assert all("swordfish" not in message.content for message in model.prompts[-1].messages)
    assert model.asked == 2


async def test_an_edit_of_what_runs_is_told_to_the_turn(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("Four o'clock.")), says("Five o'clock."))
    anna = platform.person("anna")
    async with opened(house):
        said = await anna.says("when is tea on Monday?")
        await asked(model)
        await anna.edits(said, "when is tea on Tuesday?")
        gate.set()
        await anna.hears("Five o'clock.")
    assert model.prompts[-1].messages[-1].content == "(edited) when is tea on Tuesday?"


async def test_an_edit_while_its_turn_waits_is_read_with_the_answer_and_is_none_itself(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("ask_user", question="For how many?"), says("Booked."))
    anna = platform.person("anna")
    async with opened(replace(house, tools={"ask_user": ask_user})):
        said = await anna.says("book a table")
        await anna.hears("For how many?")
        await anna.edits(said, "book a table at the Ritz")
        await anna.says("four")
        await anna.hears("For how many?: four (Anna)")
        await anna.hears("Booked.")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == [
        "User reply: four",
        "(edited) book a table at the Ritz",
    ]


async def test_deleting_what_runs_stops_that_turn_without_a_word(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("next"))
    anna = platform.person("anna")
    async with opened(house):
        running = await anna.says("long work")
        await anna.says("something else")
        await asked(model)
        await anna.deletes(running)
        await anna.hears("next")
    assert [sent.text for sent in platform.ledger.lines()] == ["next"]


async def test_what_is_answered_is_left_alone(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("hello"), says("still here"))
    anna = platform.person("anna")
    async with opened(house):
        said = await anna.says("good morning")
        await anna.hears("hello")
        await anna.edits(said, "/new")
        await anna.deletes(said)
        await anna.says("do you remember?")
        await anna.hears("still here")
    assert [message.content for message in model.prompts[-1].messages[1:]] == [
        "good morning",
        "hello",
        "do you remember?",
    ]


async def test_nobody_changes_what_others_said(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("for Anna")), says("for Anna too"))
    anna = platform.person("anna")
    async with opened(house):
        running = await anna.says("work")
        await asked(model)
        waiting = await anna.says("more work")
        for said in (running, waiting):
            for name in ("ben", "mallory"):
                await platform.acknowledges(platform.edits(said, "buy beer", user=name))
                await platform.acknowledges(platform.deletes(said, user=name))
        gate.set()
        await anna.hears("for Anna")
        await anna.hears("for Anna too")
    assert all("beer" not in message.content for prompt in model.prompts for message in prompt.messages)


async def test_deleting_what_waits_for_an_answer_closes_its_question(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("ask_user", question="For how many?"), says("next"))
    anna = platform.person("anna")
    async with opened(replace(house, tools={"ask_user": ask_user})):
        said = await anna.says("book a table")
        await anna.hears("For how many?")
        await anna.deletes(said)
        await anna.hears("For how many?: cancelled")
        await anna.says("four")
        await anna.hears("next")
