"""One agent lets another work on a call: a child frame of the same turn, with its own log."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.decide.next_step import Budget
from core.domain.errors import ModelRefused
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import ScriptedModel, calls, fails, says, together
from core.ports import Tool
from core.tools.ask_user import ask_user
from core.tools.delegation import execute_subtask, execute_task
from core.tools.update_scratchpad import update_scratchpad
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import answers, delegates, waits_for

Act = Callable[[Prompt], ModelAnswered]


@pytest.fixture
def delegating(house: House) -> House:
    return replace(
        house, tools={"delegate": delegates("delegate"), "ask_user": ask_user, "look": answers("look", "42")}
    )


def task_of(prompt: Prompt) -> str:
    """What a frame works on: its first message of a person."""
    return next(one.content for one in prompt.messages if one.role == "user")


def by_task(**said: ModelAnswered) -> Act:
    """The answer to whichever task is asked for, for frames that run side by side."""
    return lambda prompt: said[task_of(prompt)]


async def test_the_childs_answer_is_the_result_of_the_call(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("delegate", agent="clerk", task="count the pumps"),
        calls("look"),
        says("There are 42."),
        says("The clerk counted 42 pumps."),
    )
    async with opened(delegating):
        await platform.person("anna").says("how many pumps?")
        await platform.hears("The clerk counted 42 pumps.")
    parent, child, child_again, last = model.prompts
    assert [one.content for one in child.messages if one.role == "user"] == ["count the pumps"]
    assert [one.role for one in child_again.messages] == ["system", "user", "assistant", "tool"]
    assert last.messages[-1].content == "There are 42."
    assert task_of(parent) == task_of(last) == "how many pumps?"


async def test_what_a_child_did_is_no_part_of_later_prompts(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("delegate", agent="clerk", task="a secret errand"), says("done"), says("It is done."), says("bye"))
    anna = platform.person("anna")
    async with opened(delegating):
        await anna.says("go")
        await anna.hears("It is done.")
        await anna.says("thanks")
        await anna.hears("bye")
    words = [one.content for one in model.prompts[-1].messages]
    assert "done" in words
    assert "a secret errand" not in words


async def test_two_children_work_side_by_side(delegating: House, platform: FakePlatform, model: ScriptedModel) -> None:
    gate = asyncio.Event()
    both = together(
        calls("delegate", agent="clerk", task="left"), calls("delegate", agent="clerk", task="right"), calls("look")
    )
    slow = waits_for("wait", gate.wait())
    act = by_task(left=calls("wait"), right=says("right is done"))
    model.then(both, act, act, says("left is done"), says("Both are done."))
    async with opened(replace(delegating, tools={**delegating.tools, "wait": slow})):
        await platform.person("anna").says("do both")
        await slow.started.wait()
        gate.set()
        await platform.hears("Both are done.")
    results = [one.content for one in model.prompts[-1].messages if one.role == "tool"]
    assert results == ["left is done", "right is done", "42"]


async def test_a_child_asks_the_person_and_goes_on_after_a_restart(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("delegate", agent="clerk", task="book a hall"),
        calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]),
    )
    anna = platform.person("anna")
    async with opened(delegating) as gateway:
        await anna.says("book it")
        await anna.hears("Which hall?")
        await gateway.world.store.run(lambda conn: None)
    model.then(says("Hall 4 is booked."), says("Done: hall 4."))
    async with opened(delegating):
        await anna.says("2")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Done: hall 4.")
    assert model.prompts[-2].messages[-1].content == "User reply: Hall 4"
    assert task_of(model.prompts[-2]) == "book a hall"
    assert model.prompts[-1].messages[-1].content == "Hall 4 is booked."


async def test_stop_ends_the_children_and_their_questions(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("delegate", agent="clerk", task="book a hall"), calls("ask_user", question="Which hall?"), says("hello")
    )
    anna = platform.person("anna")
    async with opened(delegating):
        await anna.says("book it")
        await anna.hears("Which hall?")
        await anna.says("/stop")
        await anna.hears("Which hall?: cancelled")
        await anna.hears("Stopped.")
        await anna.says("hi")
        await anna.hears("hello")
    assert model.asked == 3


async def test_a_child_that_has_no_answer_is_told_to_its_parent(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("delegate", agent="clerk", task="try"), fails(ModelRefused("no key")), says("The clerk could not do it.")
    )
    async with opened(delegating):
        await platform.person("anna").says("go")
        await platform.hears("The clerk could not do it.")
    assert model.prompts[-1].messages[-1].content == "clerk has no answer: the model refused"


async def test_agents_stand_at_most_five_below_each_other(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(calls("delegate", agent=f"clerk{level}", task=f"level {level}") for level in range(1, 7)))
    model.then(*(says(f"back from {level}") for level in (5, 4, 3, 2, 1)), says("enough"))
    async with opened(delegating):
        await platform.person("anna").says("dig")
        await platform.hears("enough")
    deepest = model.prompts[6]
    assert deepest.messages[-1].content == "maximum agent depth (5) exceeded"
    assert task_of(deepest) == "level 5"
    assert model.prompts[-1].messages[-1].content == "back from 1"


async def test_an_agent_calls_neither_itself_nor_one_that_does_not_exist(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        together(
            calls("delegate", agent="main", task="again"),
            calls("delegate", agent="nobody", task="help"),
            calls("delegate", agent="clerk", task="count"),
        ),
        says("42"),
        says("The clerk did."),
    )
    async with opened(delegating) as gateway:
        await platform.person("anna").says("go")
        await platform.hears("The clerk did.")
        frames = await gateway.world.store.read(lambda conn: conn.exec_driver_sql("SELECT agent FROM frames").all())
    assert [one.content for one in model.prompts[-1].messages if one.role == "tool"] == [
        "an agent cannot call itself",
        "agent `nobody` not found; there are: clerk",
        "42",
    ]
    assert [tuple(row) for row in frames] == [("clerk",)]


async def test_only_the_first_agent_has_the_tool_for_tasks_and_the_last_has_none_for_subtasks(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    tools: dict[str, Tool] = {"execute_task": execute_task, "execute_subtask": execute_subtask}
    model.then(calls("execute_task", agent_id="level1", prompt="dig"))
    model.then(*(calls("execute_subtask", agent_id=f"level{level}", prompt="dig") for level in (2, 3, 4, 5)))
    model.then(*(says(f"back from {level}") for level in (5, 4, 3, 2, 1)), says("enough"))
    async with opened(replace(house, tools=tools)):
        await platform.person("anna").says("dig")
        await platform.hears("enough")
    had = [[tool.name for tool in prompt.tools] for prompt in list(model.prompts)[:6]]
    assert had == [["execute_task", "execute_subtask"], *[["execute_subtask"]] * 4, []]


async def test_what_one_agent_notes_all_of_the_turn_see_and_no_later_turn_does(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("update_scratchpad", key="report", value="data/report.md"),
        calls("delegate", agent="clerk", task="read the report"),
        together(
            calls("update_scratchpad", key="docs:x", value="</note>&"), calls("update_scratchpad", key="", value="x")
        ),
        says("read"),
        calls("update_scratchpad", key="report", value=""),
        says("Done."),
        says("Yes?"),
    )
    anna = platform.person("anna")
    async with opened(replace(delegating, tools={**delegating.tools, "update_scratchpad": update_scratchpad})):
        await anna.says("go")
        await anna.hears("Done.")
        await anna.says("hello")
        await anna.hears("Yes?")
    pads = [prompt.messages[0].content.partition("<scratchpad>\n")[2] for prompt in model.prompts]
    first = '<note key="report">data/report.md</note>\n'
    second = '<note key="docs:x">&lt;/note&gt;&amp;</note>\n'
    end = "</scratchpad>"
    assert pads == ["", first + end, first + end, first + second + end, first + second + end, second + end, ""]


async def test_all_agents_of_a_turn_share_its_budget(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("delegate", agent="clerk", task="look around"), calls("look"), calls("look"))
    async with opened(replace(delegating, budget=Budget(model_calls=3, tokens=1_000))):
        await platform.person("anna").says("go")
        await platform.hears("I could not answer this: limit of 3 model calls reached.")
    assert model.asked == 3


async def test_a_child_that_goes_on_after_an_answer_and_is_stopped_by_the_end_of_the_process_goes_on_in_the_next(
    delegating: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    search = waits_for("search", gate.wait())
    model.then(calls("delegate", agent="clerk", task="count"), calls("ask_user", question="Which pumps?"))
    model.then(calls("search"), says("42"), says("The clerk says 42."))
    house = replace(delegating, tools={**delegating.tools, "search": search})
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("how many pumps?")
        await anna.hears("Which pumps?")
        await anna.says("all of them")
        await search.started.wait()
        asyncio.get_running_loop().call_later(0.1, gate.set)
    async with opened(house):
        await anna.hears("all of them (Anna)")
        await anna.hears("The clerk says 42.")
