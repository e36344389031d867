"""Two processes on one store: one works, and what the other takes in still rules."""

from dataclasses import replace

import pytest

from core.domain.chat import QueueMode
from core.models.scripted import ScriptedModel, hangs, says
from tests.conversation.watching import asked
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform


@pytest.fixture
def beside(house: House) -> House:
    """A second process on the same store; the first one has the lock."""
    return replace(house, platform=FakePlatform(first=1_000))


async def test_a_stop_from_beside_lets_the_next_message_run_at_once(
    house: House, beside: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("for this"))
    async with opened(house), opened(beside):
        await platform.person("anna").says("long work")
        await asked(model)
        await beside.platform.person("anna").says("/stop")
        await beside.platform.person("anna").says("now this")
        await asked(model, 2)
    assert model.prompts[-1].messages[-1].content == "now this"


async def test_an_interrupt_from_beside_ends_what_runs_here(
    house: House, beside: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("for this"))
    queueing = replace(house.queueing, mode=lambda chat: QueueMode.INTERRUPT)
    async with opened(house), opened(replace(beside, queueing=queueing)):
        await platform.person("anna").says("long work")
        await asked(model)
        await beside.platform.person("anna").says("no, this")
        await asked(model, 2)
    assert model.prompts[-1].messages[-1].content == "no, this"


async def test_a_burst_from_beside_is_worked_on_here(house: House, beside: House, model: ScriptedModel) -> None:
    model.then(says("both"))
    queueing = replace(house.queueing, mode=lambda chat: QueueMode.COLLECT, burst_ms=300)
    async with opened(house), opened(replace(beside, queueing=queueing)):
        await beside.platform.person("anna").says("one")
        await beside.platform.person("anna").says("two")
        await asked(model)
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["one", "two"]


async def test_a_turn_that_was_ended_from_beside_does_not_keep_the_next_message_waiting(
    house: House, beside: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("yes"))
    anna = platform.person("anna")
    async with opened(house), opened(beside):
        await anna.says("start")
        await asked(model)
        await beside.platform.person("anna").says("/stop")
        await anna.says("anyone there?")
        await asked(model, 2)
    assert model.prompts[-1].messages[-1].content == "anyone there?"
