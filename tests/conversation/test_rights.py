"""Who may stop what runs in a chat of several people."""

from dataclasses import replace

import pytest

from core.models.scripted import ScriptedModel, calls, hangs, says
from core.tools.ask_user import ask_user
from tests.conversation.watching import asked
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform


@pytest.mark.parametrize("command", ["/stop", "/new", "/retry", "/undo", "/resume 2"])
async def test_a_bystander_stops_nothing_and_is_told_who_could(
    house: House, platform: FakePlatform, model: ScriptedModel, command: str
) -> None:
    model.then(hangs())
    anna, ben = platform.person("anna", shared=True), platform.person("ben", shared=True)
    async with opened(house):
        await anna.says("long work")
        await asked(model)
        await ben.says(command)
        assert (await platform.reads()).text == "Only Anna or an owner can do that."
        await anna.says("/status")
        await platform.hears("Running: turn 1")
        await anna.says("/stop")
        assert (await platform.reads()).text == "Stopped."


async def test_a_stranger_stops_nothing(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(hangs())
    anna = platform.person("anna", shared=True)
    async with opened(house):
        await anna.says("long work")
        await asked(model)
        await platform.person("mallory", shared=True).says("/stop")
        await anna.hears("I may not answer you here.")
        await anna.says("/stop")
        await anna.hears("Stopped.")


async def test_an_owner_stops_what_somebody_else_started(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    async with opened(replace(house, owners=frozenset({"olga"}))):
        await platform.person("anna", shared=True).says("long work")
        await asked(model)
        await platform.person("olga", shared=True).says("/stop")
        await platform.hears("Stopped.")


async def test_whose_work_waits_behind_does_not_stop_what_runs(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    anna, ben = platform.person("anna", shared=True), platform.person("ben", shared=True)
    async with opened(house):
        await anna.says("long work")
        await ben.says("mine too")
        await ben.says("/stop")
        assert (await platform.reads()).text == "Only Anna or an owner can do that."
        await anna.says("/stop")
        assert (await platform.reads()).text == "Stopped. 1 waiting messages dropped."


async def test_with_nothing_running_anybody_begins_anew(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("done"))
    async with opened(house):
        await platform.person("anna", shared=True).says("work")
        await platform.hears("done")
        await platform.person("ben", shared=True).says("/new")
        assert (await platform.reads()).text == "New conversation."
        await platform.person("ben", shared=True).says("/stop")
        assert (await platform.reads()).text == "Nothing is running here."


async def test_alone_with_parley_nobody_else_could_have_started_it(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    async with opened(house):
        await platform.person("anna").says("long work")
        await asked(model)
        await platform.person("ben").says("/stop")
        await platform.hears("Stopped.")


async def test_who_is_asked_may_stop_the_turn_that_asks(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("ask_user", question="For how many?"))
    anna, ben = platform.person("anna", shared=True), platform.person("ben", shared=True)
    async with opened(replace(house, tools={"ask_user": ask_user})):
        await anna.says("book a table")
        await platform.hears("For how many?")
        await ben.says("/stop")
        await platform.hears("Only Anna or an owner can do that.")
        await anna.says("/stop")
        await platform.hears("For how many?: cancelled")
        await platform.hears("Stopped.")


async def test_whoever_said_it_takes_back_what_waits_behind_the_work_of_another(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    anna, ben, carl = (platform.person(name, shared=True) for name in ("anna", "ben", "carl"))
    async with opened(house):
        await anna.says("long work")
        await asked(model)
        await ben.says("a mistake")
        await carl.says("/undo")
        assert (await platform.reads()).text == "Only Anna or an owner can do that."
        await ben.says("/undo")
        assert (await platform.reads()).text == "Undone: a mistake"
        await ben.says("/undo")
        assert (await platform.reads()).text == "Only Anna or an owner can do that."
        await anna.says("/stop")
        assert (await platform.reads()).text == "Stopped."


async def test_what_another_has_said_is_tried_again_in_his_name(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    async with opened(house):
        await platform.person("anna", shared=True).says("work")
        await platform.hears("one")
        await platform.person("ben", shared=True).says("/retry")
        await platform.hears("two")
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["[from Anna, id anna]\n| work"]
