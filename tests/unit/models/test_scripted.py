"""The model that plays a script."""

import asyncio

import pytest

from core.domain.errors import ModelUnreachable
from core.domain.prompt import ModelSize, Prompt, PromptMessage
from core.domain.step import Call, ModelAnswered
from core.models.scripted import (
    InvalidPrompt,
    ScriptedModel,
    ScriptOver,
    breaks_off,
    calls,
    calls_raw,
    cut,
    fails,
    hangs,
    says,
    says_slowly,
    together,
    waits,
)
from core.ports import Model

HELLO = Prompt(messages=(PromptMessage(role="user", content="hello"),))


async def test_each_call_takes_the_next_act() -> None:
    model = ScriptedModel(calls("read_file", path="a.txt"), says("It is empty."))
    first, second = await model.answer(HELLO, None), await model.answer(HELLO, None)
    assert first.calls == (Call(name="read_file", arguments='{"path": "a.txt"}'),)
    assert (second.text, second.calls, second.usage.cost) == ("It is empty.", (), 0.0)


async def test_it_is_a_model_of_the_name_and_size_it_was_given() -> None:
    model: Model = ScriptedModel(says("Hi."), name="big", size=ModelSize(window=10, output=2))
    assert (model.name, model.size) == ("big", ModelSize(window=10, output=2))
    assert (await model.answer(HELLO, None)).model == "big"


async def test_one_act_can_have_text_and_several_calls() -> None:
    act = together(says("Both."), calls("a"), calls_raw("b", "{broken"))
    answered = await ScriptedModel(act).answer(HELLO, None)
    assert answered.text == "Both."
    assert answered.calls == (Call(name="a", arguments="{}"), Call(name="b", arguments="{broken"))


async def test_an_answer_can_be_cut_by_the_output_limit() -> None:
    assert (await ScriptedModel(cut(says("half an ans"))).answer(HELLO, None)).cut


async def test_an_act_can_be_an_error() -> None:
    model = ScriptedModel(fails(ModelUnreachable("busy", retry_in=2.0)), says("Now."))
    with pytest.raises(ModelUnreachable, match="busy"):
        await model.answer(HELLO, None)
    assert (await model.answer(HELLO, None)).text == "Now."


async def test_an_act_can_look_at_the_prompt() -> None:
    model = ScriptedModel(lambda prompt: says(prompt.messages[-1].content.upper()))
    assert (await model.answer(HELLO, None)).text == "HELLO"


async def test_an_answer_is_shown_word_by_word() -> None:
    shown: list[str] = []
    await ScriptedModel(says("one two three")).answer(HELLO, shown.append)
    assert shown == ["one", "one two", "one two three"]


async def test_a_slow_answer_goes_on_when_its_gate_opens() -> None:
    gate, first = asyncio.Event(), asyncio.Event()
    shown: list[str] = []

    def watch(text: str) -> None:
        shown.append(text)
        first.set()

    async with asyncio.TaskGroup() as group:
        answer = group.create_task(ScriptedModel(says_slowly("one ", gate.wait, "two")).answer(HELLO, watch))
        await first.wait()
        assert not answer.done()
        gate.set()
    assert answer.result().text == "one two"
    assert shown[-1] == "one two"


async def test_an_act_can_wait_without_a_word() -> None:
    gate = asyncio.Event()
    gate.set()
    assert (await ScriptedModel(waits(gate.wait, says("Now."))).answer(HELLO, None)).text == "Now."


async def test_a_stream_can_break_off() -> None:
    shown: list[str] = []
    with pytest.raises(ModelUnreachable):
        await ScriptedModel(breaks_off("half an", ModelUnreachable("cut"))).answer(HELLO, shown.append)
    assert shown == ["half", "half an"]


async def test_only_cancelling_ends_an_answer_that_hangs() -> None:
    async with asyncio.TaskGroup() as group:
        answer: asyncio.Task[ModelAnswered] = group.create_task(ScriptedModel(hangs()).answer(HELLO, None))
        await asyncio.sleep(0)
        assert not answer.done()
        answer.cancel()
    assert answer.cancelled()


async def test_a_call_past_the_end_of_the_script_is_an_error_that_stays_on_record() -> None:
    model = ScriptedModel(says("Once."), name="small")
    await model.answer(HELLO, None)
    with pytest.raises(ScriptOver, match="the script of small is over: call 2 has no act"):
        await model.answer(HELLO, None)
    assert len(model.faults) == 1


async def test_the_last_act_repeats_when_told_so() -> None:
    model = ScriptedModel(says("First."), says("Again."), repeat_last=True)
    assert [(await model.answer(HELLO, None)).text for _ in range(4)] == ["First.", "Again.", "Again.", "Again."]


async def test_acts_can_be_added_later() -> None:
    model = ScriptedModel()
    model.then(says("Late."))
    assert (await model.answer(HELLO, None)).text == "Late."


async def test_a_prompt_that_some_provider_would_refuse_is_an_error_that_stays_on_record() -> None:
    model = ScriptedModel(says("Never."))
    bad = Prompt(messages=(PromptMessage(role="tool", content="42", call_id="gone"),))
    with pytest.raises(InvalidPrompt, match="no call in front of it waits for"):
        await model.answer(bad, None)
    assert any("gone" in fault for fault in model.faults)


async def test_the_referee_can_be_sent_away() -> None:
    assert (await ScriptedModel(says("Fine."), validate=False).answer(Prompt(messages=()), None)).text == "Fine."


async def test_a_long_life_keeps_only_the_newest_prompts() -> None:
    model = ScriptedModel(says("Yes."), repeat_last=True, keep=10)
    for number in range(1_000):
        await model.answer(Prompt(messages=(PromptMessage(role="user", content=str(number)),)), None)
    assert model.asked == 1_000
    assert [prompt.messages[0].content for prompt in model.prompts] == [str(number) for number in range(990, 1_000)]
