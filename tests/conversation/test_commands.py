"""Commands work beside the running turn, and never wait behind it."""

import asyncio
from dataclasses import replace

from core.models.scripted import ScriptedModel, calls, hangs, says
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import waits_for


async def test_help_lists_every_command(house: House, platform: FakePlatform) -> None:
    async with opened(house):
        await platform.person("anna").says("/help")
        sent = await platform.hears("/stop")
    assert all(name in sent.text for name in ("/help", "/new", "/stop", "/status", "/model"))
    assert "/exit" not in sent.text


async def test_stop_ends_the_turn_and_the_queue_and_says_so_once(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("fresh start"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("long work")
        await anna.says("queued 1")
        await anna.says("queued 2")
        await anna.says("/stop")
        await anna.hears("Stopped. 2 waiting messages dropped.")
        await anna.says("hello?")
        await anna.hears("fresh start")
    assert [sent.text for sent in platform.ledger.lines()] == ["Stopped. 2 waiting messages dropped.", "fresh start"]


async def test_stop_with_nothing_running_says_that(house: House, platform: FakePlatform) -> None:
    async with opened(house):
        await platform.person("anna").says("/stop")
        await platform.hears("Nothing is running here.")


async def test_stop_leaves_other_chats_alone(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(hangs(), says("other done"), says("still ok"))
    async with opened(house):
        await platform.person("anna", chat="a").says("long")
        while model.asked == 0:
            await asyncio.sleep(0)
        await platform.person("ben", chat="b").says("other")
        await platform.hears("other done", chat="b")
        await platform.person("anna", chat="a").says("/stop")
        await platform.hears("Stopped.", chat="a")
        await platform.person("ben", chat="b").says("still ok?")
        await platform.hears("still ok", chat="b")


async def test_a_tool_that_runs_is_cut_off_by_stop_and_the_history_stays_valid(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    slow = waits_for("search", never)
    model.then(calls("search", q="belt"), says("yes?"))
    anna = platform.person("anna")
    async with opened(replace(house, tools={"search": slow})):
        await anna.says("go")
        while not slow.runs:
            await asyncio.sleep(0)
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await anna.says("again")
        await anna.hears("yes?")
    assert never.cancelled()
    roles = [(message.role, message.content) for message in model.prompts[-1].messages[1:]]
    assert roles[2] == ("tool", "Cancelled: the turn was stopped before this call had a result.")
    assert roles[-1] == ("user", "again")


async def test_new_forgets_what_was_said(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("hello"), says("who are you?"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("I am Anna")
        await anna.hears("hello")
        await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("do you know me?")
        await anna.hears("who are you?")
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["do you know me?"]


async def test_status_answers_while_a_turn_runs(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(hangs())
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("long")
        await anna.says("waits")
        await anna.says("/status")
        sent = await anna.hears("Running: turn 1")
    assert "Waiting: 1" in sent.text


async def test_a_chosen_model_is_kept_over_restart_and_new(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    second = ScriptedModel(says("second speaks"), says("second again"), name="second")
    anna = platform.person("anna")
    both = replace(house, models=[model, second])
    async with opened(both):
        await anna.says("/model second")
        await anna.hears("This chat now uses second.")
        await anna.says("hi")
        await anna.hears("second speaks")
    async with opened(both):
        await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("hi")
        await anna.hears("second again")
        await anna.says("/model")
        await anna.hears("* second")
        await anna.says("/model default")
        await anna.hears("This chat now uses the default model, scripted.")
        await anna.says("/model third")
        await anna.hears("There is no model third. /model lists them.")


async def test_a_misspelt_command_gets_a_hint_and_no_turn(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    async with opened(house):
        await platform.person("anna").says("/stpo")
        await platform.hears("I do not know /stpo. Did you mean /stop? /help lists what I understand.")
    assert model.asked == 0


async def test_two_slashes_and_far_words_go_to_the_agent(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("//stop")
        await anna.hears("one")
        await anna.says("/etc/passwd is a file")
        await anna.hears("two")
