"""Tools that say something while the turn goes on."""

import asyncio
from dataclasses import replace

from core.domain.chat import ChatKey
from core.domain.message import says as words
from core.domain.tool import ToolResult
from core.models.scripted import ScriptedModel, calls, says
from core.ports import ToolContext
from core.tools.send_file import send_file
from core.tools.send_message import send_message
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


# --- send_message ---


SEND = send_message({"fake:default:elsewhere": ELSEWHERE})


def with_files(house: House) -> House:
    (house.folder / "workspace").mkdir()
    (house.folder / "workspace" / "plan.md").write_text("1. go")
    return replace(house, tools={"send_message": SEND, "send_file": send_file})


async def test_a_message_to_this_chat_is_the_answer_when_nothing_follows(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("send_message", text="It is belt 42."), says(""), says("Gladly."))
    async with opened(with_files(house)):
        await platform.person("anna").says("which belt?")
        await platform.hears("It is belt 42.")
        await platform.person("anna").says("thanks")
        await platform.hears("Gladly.")
    assert [sent.text for sent in platform.ledger.lines()] == ["It is belt 42.", "Gladly."]
    assert [message.content for message in model.prompts[-1].messages[-2:]] == ["It is belt 42.", "thanks"]


async def test_the_same_words_as_an_answer_are_not_sent_again(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("send_message", text="It is belt 42."), says("It is belt 42.\n"), says("Gladly."))
    async with opened(with_files(house)):
        anna = platform.person("anna")
        await anna.says("which belt?")
        await anna.hears("It is belt 42.")
        await anna.says("thanks")
        await anna.hears("Gladly.")
    assert len(platform.ledger.lines()) == 2


async def test_other_words_come_after_the_message(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(calls("send_message", text="I look.", files=["plan.md"]), says("Belt 42."))
    async with opened(with_files(house)):
        await platform.person("anna").says("which belt?")
        assert (await platform.hears("I look.")).files == ("plan.md",)
        assert (await platform.hears("Belt 42.")).files == ()


async def test_a_file_for_the_answer_goes_out_although_its_words_were_said(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("send_file", path="plan.md"), calls("send_message", text="Here it is."), says(""))
    async with opened(with_files(house)):
        await platform.person("anna").says("the plan?")
        await platform.hears("Here it is.")
        sent = await platform.reads()
    assert (sent.text, sent.files) == ("", ("plan.md",))


async def test_a_message_to_another_chat_is_no_answer(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("send_message", text="The plan changed.", to="fake:default:elsewhere"), says(""), says("Done."))
    async with opened(with_files(house)):
        await platform.person("anna").says("tell them")
        await platform.hears("The plan changed.", chat="elsewhere")
        await platform.hears("Done.")


async def test_a_chat_that_is_not_listed_is_refused(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(calls("send_message", text="psst", to="fake:default:boss"), says("I may not write there."))
    async with opened(with_files(house)):
        await platform.person("anna").says("tell the boss")
        await platform.hears("I may not write there.")
    assert "[tools.send_message] send_to" in model.prompts[-1].messages[-1].content
    assert {sent.chat for sent in platform.ledger.lines()} == {"room"}
