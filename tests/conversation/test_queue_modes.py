"""What becomes of messages while a turn runs: they wait, steer, are collected, or interrupt."""

import asyncio
from dataclasses import replace

import pytest

from core.decide.view import Queueing
from core.domain.chat import QueueMode
from core.models.scripted import ScriptedModel, calls, hangs, says, waits
from tests.conversation.watching import asked
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import waits_for


def in_mode(house: House, mode: QueueMode) -> House:
    """Every chat of the house is in this mode unless it chooses another."""
    return replace(house, queueing=replace(house.queueing, mode=lambda chat: mode))


async def test_the_mode_of_a_chat_is_shown_chosen_and_kept(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("/queue")
        assert (await anna.hears("* queue")).text == "* queue\n  steer\n  collect\n  interrupt"
        await anna.says("/queue Steer")
        assert (await anna.hears("mode")).text == "The queue mode of this chat is now steer."
        await anna.says("/queue fast")
        assert (await anna.hears("no")).text == "There is no queue mode fast. /queue lists them."
    async with opened(house):
        await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("/queue")
        assert (await anna.hears("*")).text == "  queue\n* steer\n  collect\n  interrupt"
        await platform.person("ben", chat="other").says("/queue")
        await platform.hears("* queue", chat="other")


async def test_a_channel_has_a_mode_for_chats_that_chose_none(house: House, platform: FakePlatform) -> None:
    anna = platform.person("anna")
    async with opened(in_mode(house, QueueMode.COLLECT)):
        await anna.says("/queue")
        await anna.hears("* collect")
        await anna.says("/queue queue")
        await anna.hears("The queue mode of this chat is now queue.")
        await anna.says("/status")
        assert "Queue: queue" in (await anna.hears("Running: idle")).text


async def test_the_status_tells_the_mode_and_what_waits(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("long")
        await anna.says("waits")
        await anna.says("waits too")
        await anna.says("/status")
        sent = await anna.hears("Running: turn 1")
    assert "Waiting: 2\nQueue: queue\n" in sent.text


# --- interrupt ---


async def test_in_interrupt_mode_new_words_stop_the_turn_and_are_answered_next(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), hangs(), says("about tea"))
    anna = platform.person("anna")
    async with opened(in_mode(house, QueueMode.INTERRUPT)):
        await anna.says("tell me about coffee")
        await asked(model)
        await anna.says("no, about water")
        await asked(model, 2)
        await anna.says("no, about tea")
        await anna.hears("about tea")
    assert [sent.text for sent in platform.ledger.lines()] == ["about tea"]
    assert model.prompts[-1].messages[-1].content == "no, about tea"


async def test_an_interrupted_turn_gives_its_only_slot_to_the_next(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("about tea"))
    anna = platform.person("anna")
    async with opened(replace(in_mode(house, QueueMode.INTERRUPT), turns=1)):
        await anna.says("tell me about coffee")
        await asked(model)
        await anna.says("no, about tea")
        await anna.hears("about tea")


async def test_in_a_shared_chat_bystanders_wait_and_do_not_interrupt(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("for Anna")), says("for Ben"))
    async with opened(in_mode(house, QueueMode.INTERRUPT)):
        await platform.person("anna", shared=True).says("work")
        await asked(model)
        await platform.person("ben", shared=True).says("me too")
        gate.set()
        await platform.hears("for Anna")
        await platform.hears("for Ben")


# --- collect ---


async def test_in_collect_mode_a_burst_is_one_turn(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    clock = FakeClock()
    model.then(says("all at once"))
    anna = platform.person("anna")
    async with opened(replace(in_mode(house, QueueMode.COLLECT), clock=clock)) as gateway:
        await anna.says("one")
        await clock.advance(1.5)
        await anna.says("two")
        await clock.advance(1.5)
        await anna.says("three")
        assert model.asked == 0
        await passing(gateway, clock, anna.hears("all at once"))
    assert model.asked == 1
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["one", "two", "three"]


async def test_a_burst_ends_by_the_clock_alone(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    clock = FakeClock()
    model.then(says("answer"))
    anna = platform.person("anna")
    async with opened(replace(in_mode(house, QueueMode.COLLECT), clock=clock)):
        await anna.says("one")
        await clock.run_until(anna.hears("answer"))
    assert model.asked == 1


async def test_a_burst_of_so_many_messages_is_not_waited_for_any_longer(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("three"))
    anna = platform.person("anna")
    queueing = Queueing(mode=lambda chat: QueueMode.COLLECT, burst_ms=3_600_000, burst=3)
    async with opened(replace(house, queueing=queueing)):
        for n in range(3):
            await anna.says(f"{n}")
        await anna.hears("three")
    assert model.asked == 1


async def test_what_is_said_while_a_turn_runs_becomes_one_turn_behind_it(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("first")), says("the rest"))
    anna = platform.person("anna")
    async with opened(replace(in_mode(house, QueueMode.COLLECT), clock=clock)) as gateway:
        await anna.says("one")
        await passing(gateway, clock, asked(model))
        await anna.says("two")
        await anna.says("three")
        gate.set()
        await anna.hears("first")
        await anna.hears("the rest")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == ["two", "three"]


async def test_a_burst_survives_a_restart(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("both"))
    anna = platform.person("anna")
    slow = replace(house.queueing, mode=lambda chat: QueueMode.COLLECT, burst_ms=3_600_000)
    async with opened(replace(house, queueing=slow)):
        await anna.says("one")
        await anna.says("two")
    assert model.asked == 0
    async with opened(replace(house, queueing=slow)):
        await anna.hears("both")


# --- bounds ---


async def test_one_person_fills_a_part_of_the_queue_and_is_told_once(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs())
    anna, ben = platform.person("anna"), platform.person("ben")
    async with opened(replace(house, queueing=Queueing(person=2), queued_chat=3)):
        await anna.says("running")
        for n in range(4):
            await anna.says(f"anna {n}")
        await ben.says("ben 0")
        await ben.says("ben 1")
        first, second = await platform.reads(), await platform.reads()
    assert first.text == "2 messages already wait here. I did not take this one; please send it again later."
    assert second.text == "3 messages already wait here. I did not take this one; please send it again later."
    assert len(platform.ledger.lines()) == 2


# --- steer ---


@pytest.mark.parametrize(("mode", "text"), [(QueueMode.STEER, "only trains"), (QueueMode.QUEUE, "/steer only trains")])
async def test_words_that_steer_reach_the_running_turn_at_its_next_step(
    house: House, platform: FakePlatform, model: ScriptedModel, mode: QueueMode, text: str
) -> None:
    gate = asyncio.Event()
    search = waits_for("search", gate.wait())
    model.then(calls("search"), says("There is a train at nine."))
    anna = platform.person("anna")
    async with opened(replace(in_mode(house, mode), tools={"search": search})):
        await anna.says("how do I get there?")
        while not search.runs:
            await asyncio.sleep(0)
        await anna.says(text)
        gate.set()
        await anna.hears("There is a train at nine.")
        model.then(says("Yes."))
        await anna.says("still right?")
        await anna.hears("Yes.")
    said = [(message.role, message.content) for message in model.prompts[1].messages[1:]]
    assert [role for role, _ in said] == ["user", "assistant", "tool", "user"]
    assert said[-1] == ("user", "only trains")
    assert [message.content for message in model.prompts[-1].messages[-3:]] == [
        "only trains",
        "There is a train at nine.",
        "still right?",
    ]


async def test_words_that_come_with_the_last_answer_are_answered_too(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("By bus.")), says("By train."))
    anna = platform.person("anna")
    async with opened(in_mode(house, QueueMode.STEER)):
        await anna.says("how do I get there?")
        await asked(model)
        await anna.says("no buses, please")
        gate.set()
        await anna.hears("By train.")
    assert model.prompts[-1].messages[-1].content == "no buses, please"
    assert [sent.text for sent in platform.ledger.lines()] == ["By train."]


async def test_words_that_steered_are_read_after_a_restart(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("By train."))
    anna = platform.person("anna")
    async with opened(in_mode(house, QueueMode.STEER)):
        await anna.says("how do I get there?")
        await asked(model)
        await anna.says("no buses, please")
    async with opened(house):
        await anna.hears("By train.")
    assert [message.content for message in model.prompts[-1].messages[1:]] == [
        "how do I get there?",
        "no buses, please",
    ]


async def test_to_steer_a_text_is_needed(house: House, platform: FakePlatform) -> None:
    async with opened(house):
        await platform.person("anna").says("/steer")
        sent = await platform.hears("/steer")
    assert sent.text == "Write behind it what to steer to, as in /steer shorter, please."


@pytest.mark.parametrize("mode", [QueueMode.QUEUE, QueueMode.STEER])
async def test_with_nothing_running_what_would_steer_is_a_message(
    house: House, platform: FakePlatform, model: ScriptedModel, mode: QueueMode
) -> None:
    model.then(says("shorter it is"))
    anna = platform.person("anna")
    async with opened(in_mode(house, mode)):
        await anna.says("/steer shorter")
        await anna.hears("shorter it is")
    assert model.prompts[-1].messages[-1].content == "shorter"
