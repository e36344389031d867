"""The model calls tools, and people get answers."""

import asyncio
from dataclasses import replace

from core.decide.next_step import Budget
from core.domain.message import OutgoingFile
from core.models.scripted import ScriptedModel, calls, calls_raw, cut, says, together
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import FakeTool, answers, breaks, refuses, waits_for


def with_tools(house: House, *tools: FakeTool) -> House:
    return replace(house, tools={tool.spec.name: tool for tool in tools})


async def test_a_tool_round_goes_before_the_answer(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    search = answers("search", "belt 42")
    model.then(calls("search", q="belt"), says("It is belt 42."))
    async with opened(with_tools(house, search)):
        await platform.person("anna").says("which belt?")
        await platform.hears("It is belt 42.")
    assert search.runs == ['{"q": "belt"}']
    assert [message.role for message in model.prompts[-1].messages] == ["system", "user", "assistant", "tool"]
    assert model.prompts[-1].messages[-1].content == "belt 42"


async def test_calls_of_one_round_run_side_by_side_and_results_keep_their_order(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    opened_gate = asyncio.Event()

    async def open_gate(arguments: str, context: object) -> object:
        opened_gate.set()
        return None

    first = waits_for("first", opened_gate.wait())
    second = answers("second", "two")
    original = second.run

    async def run_and_open(arguments: str, context: object) -> object:
        await open_gate(arguments, context)
        return await original(arguments, context)  # type: ignore[arg-type]

    second.run = run_and_open  # type: ignore[method-assign,assignment]
    model.then(together(calls("first"), calls("second")), says("both done"))
    async with opened(with_tools(house, first, second)):
        await platform.person("anna").says("go")
        await platform.hears("both done")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == ["done", "two"]


async def test_a_tool_that_refuses_tells_the_model_and_the_turn_goes_on(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("read"), says("I could not read it."))
    async with opened(with_tools(house, refuses("read", "path: there is no such file"))):
        await platform.person("anna").says("read it")
        await platform.hears("I could not read it.")
    assert model.prompts[-1].messages[-1].content == "path: there is no such file"


async def test_a_bug_in_a_tool_does_not_end_the_turn(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("broken"), says("that failed"))
    async with opened(with_tools(house, breaks("broken"))):
        await platform.person("anna").says("go")
        await platform.hears("that failed")
    assert "internal error" in model.prompts[-1].messages[-1].content


async def test_a_slow_tool_is_stopped_at_its_limit(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    model.then(calls("slow"), says("too slow"))
    async with opened(replace(with_tools(house, waits_for("slow", never)), tool_s=0.05)):
        await platform.person("anna").says("go")
        await platform.hears("too slow")
    assert "took longer than 0.05 seconds" in model.prompts[-1].messages[-1].content


async def test_an_unknown_tool_is_answered_with_the_names_of_the_real_ones(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("serch", q="x"), says("sorry"))
    async with opened(with_tools(house, answers("search", "x"))):
        await platform.person("anna").says("go")
        await platform.hears("sorry")
    assert model.prompts[-1].messages[-1].content == "There is no tool serch. The tools are: search."


async def test_empty_arguments_reach_the_tool_and_it_decides(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    jobs = answers("list_jobs", "2")
    model.then(calls_raw("list_jobs", ""), calls_raw("list_jobs", "null"), says("Two jobs."))
    async with opened(with_tools(house, jobs)):
        await platform.person("anna").says("go")
        await platform.hears("Two jobs.")
    assert len(jobs.runs) == 2


async def test_a_call_cut_at_the_output_limit_is_not_run(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    write = answers("write_file", "ok", replayable=False)
    model.then(
        cut(calls_raw("write_file", '{"path":"big.txt","text":"xxxx')),
        says("The file is too long for one call, I stopped."),
    )
    async with opened(with_tools(house, write)):
        await platform.person("anna").says("go")
        await platform.hears("I stopped.")
    assert write.runs == []
    assert "cut at the output limit" in model.prompts[-1].messages[-1].content


async def test_a_model_that_is_cut_again_and_again_is_ended(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(cut(calls_raw("write_file", '{"path')) for _ in range(3)))
    async with opened(with_tools(house, answers("write_file", "ok"))):
        await platform.person("anna").says("go")
        await platform.hears("limit of the model's output length reached")


async def test_the_limit_of_model_calls_ends_a_turn_that_finds_no_end(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(calls("look", n=n) for n in range(4)))
    limited = replace(with_tools(house, answers("look", "nothing")), budget=Budget(model_calls=4, tokens=10**6))
    async with opened(limited):
        await platform.person("anna").says("go")
        await platform.hears("I could not answer this: limit of 4 model calls reached.")


async def test_files_that_tools_add_go_out_with_the_reply(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    plan = OutgoingFile(path="data/plan.pdf", name="plan.pdf")
    model.then(calls("send_file"), says("Here is the plan."))
    async with opened(with_tools(house, answers("send_file", "added", files=(plan,)))):
        await platform.person("anna").says("the plan, please")
        sent = await platform.hears("Here is the plan.")
    assert sent.files == ("data/plan.pdf",)
