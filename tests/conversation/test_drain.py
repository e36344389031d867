"""The gateway ends while turns are at work."""

import asyncio
from dataclasses import replace

from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, hangs, says
from core.ports import ToolContext
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import FakeTool


async def test_a_model_call_is_cut_and_asked_again_by_the_next_gateway(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("after the restart"))
    async with opened(house):
        await platform.person("anna").says("hello")
        while model.asked == 0:
            await asyncio.sleep(0)
    async with opened(house):
        await platform.hears("after the restart")
    assert model.asked == 2


async def test_a_tool_that_cannot_be_repeated_comes_to_its_result_and_is_not_run_again(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    started, ending = asyncio.Event(), asyncio.Event()

    async def pay(arguments: str, context: ToolContext) -> ToolResult:
        started.set()
        await ending.wait()
        return ToolResult(text="paid")

    tool = FakeTool("pay", pay, replayable=False)
    model.then(calls("pay"), says("It is paid."))
    paying = replace(house, tools={"pay": tool})
    async with opened(paying):
        await platform.person("anna").says("pay")
        await started.wait()
        asyncio.get_running_loop().call_later(0.1, ending.set)
    assert platform.ledger.lines() == []
    async with opened(paying):
        await platform.hears("It is paid.")
    assert len(tool.runs) == 1
    assert model.prompts[-1].messages[-1].content == "paid"


async def test_a_tool_that_does_not_end_in_time_is_not_run_again_before_the_person_has_said_so(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    started = asyncio.Event()

    async def pay(arguments: str, context: ToolContext) -> ToolResult:
        started.set()
        await asyncio.Event().wait()
        return ToolResult(text="never")

    tool = FakeTool("pay", pay, replayable=False)
    model.then(calls("pay"), says("I do not know whether it was paid."))
    paying = replace(house, tools={"pay": tool}, grace_s=0.05)
    async with opened(paying):
        await platform.person("anna").says("pay")
        await started.wait()
    async with opened(paying):
        asked = await platform.hears(
            "I was interrupted while pay ran and cannot tell whether it happened. Run it again?"
        )
        assert asked.choices == ("Run again", "Leave it")
        await platform.person("anna").says("Leave it")
        await platform.hears("Leave it (Anna)")
        await platform.hears("I do not know whether it was paid.")
    assert len(tool.runs) == 1
    assert "Whether it took effect is unknown" in model.prompts[-1].messages[-1].content
