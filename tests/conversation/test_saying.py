"""Tools that say something while the turn goes on."""

import asyncio
from dataclasses import replace

from core.domain.chat import ChatKey
from core.domain.message import says as words
from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, says
from core.ports import ToolContext
from tests.fakes.channel import ACCOUNT, CHANNEL
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import FakeTool

ELSEWHERE = ChatKey(channel=CHANNEL, account=ACCOUNT, chat_id="elsewhere")


def telling(house: House, tool: FakeTool) -> House:
    return replace(house, tools={tool.spec.name: tool})


async def test_what_a_tool_says_is_heard_at_once_and_before_the_answer(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    heard = asyncio.Event()

    async def tell(arguments: str, context: ToolContext) -> ToolResult:
        await context.say(words("one"))
        await context.say(words("two"))
        await heard.wait()
        return ToolResult(text="told")

    model.then(calls("tell"), says("three"))
    async with opened(telling(house, FakeTool("tell", tell))):
        await platform.person("anna").says("go")
        await platform.hears("one")
        await platform.hears("two")
        heard.set()
        await platform.hears("three")


async def test_what_a_tool_says_to_another_chat_is_heard_there_only(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    async def tell(arguments: str, context: ToolContext) -> ToolResult:
        await context.say(words("news"), ELSEWHERE)
        return ToolResult(text="told")

    model.then(calls("tell"), says("I told them."))
    async with opened(telling(house, FakeTool("tell", tell))):
        await platform.person("anna").says("tell them")
        await platform.hears("I told them.")
        await platform.hears("news", chat="elsewhere")
    assert [sent.chat for sent in platform.ledger.lines()].count("elsewhere") == 1


async def test_a_call_that_is_run_again_after_a_crash_repeats_nothing_that_it_said(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    stuck, runs = asyncio.Event(), 0

    async def tell(arguments: str, context: ToolContext) -> ToolResult:
        nonlocal runs
        runs += 1
        await context.say(words("one"))
        if runs == 1:
            stuck.set()
            await asyncio.Event().wait()
        await context.say(words("two"))
        return ToolResult(text="told")

    model.then(calls("tell"), says("three"))
    tool = FakeTool("tell", tell)
    # Without grace the first gateway leaves the call as a crash would.
    async with opened(replace(telling(house, tool), grace_s=0.0)):
        await platform.person("anna").says("go")
        await stuck.wait()
    async with opened(telling(house, tool)):
        for text in ("one", "two", "three"):
            await platform.hears(text)
    assert runs == 2
    assert [sent.text for sent in platform.ledger.lines()] == ["one", "two", "three"]


async def test_a_tool_that_goes_on_after_a_stop_says_nothing_more(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    started, refused = asyncio.Event(), asyncio.Event()

    async def tell(arguments: str, context: ToolContext) -> ToolResult:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            try:
                await context.say(words("too late"))
            finally:
                refused.set()
        return ToolResult(text="never")

    model.then(calls("tell"))
    async with opened(telling(house, FakeTool("tell", tell))):
        anna = platform.person("anna")
        await anna.says("go")
        await started.wait()
        await anna.says("/stop")
        await platform.hears("Stopped.")
        await refused.wait()
    assert [sent.text for sent in platform.ledger.lines()] == ["Stopped."]
