"""Whole answers through the real model library, from a provider that plays a script."""

import asyncio
import json
from dataclasses import replace

import pytest

from core.domain.errors import ModelBroken, ModelRefused, ModelUnreachable
from core.domain.prompt import ModelSize, Prompt, PromptCall, PromptMessage
from core.domain.secret import Secret
from core.domain.step import Call
from core.domain.tool import Effect, ToolSpec
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from tests.contract.models.conftest import HELLO, KEY
from tests.fakes.openai_server import OpenAIServer, WireCall, answers, hangs, replies

JSON = {"Content-Type": "application/json"}
WEATHER = ToolSpec(
    name="weather",
    description="The weather of a place.",
    schema={"type": "object", "properties": {"place": {"type": "string"}}},
    effect=Effect.READS,
    replayable=True,
)


def body(message: object, finish: str = "stop") -> str:
    return json.dumps({"id": "r", "choices": [{"index": 0, "message": message, "finish_reason": finish}]})


async def test_the_text_of_the_answer_and_its_tokens_come_back(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers("Hello back."))
    answered = await model.answer(HELLO, None)
    assert (answered.text, answered.calls, answered.cut, answered.model) == ("Hello back.", (), False, "main")
    assert (answered.usage.prompt_tokens, answered.usage.completion_tokens) == (100, 10)
    assert model.size == ModelSize(window=32_768, output=4_096)


async def test_one_answer_is_one_request_unstreamed_with_the_output_limit(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    server.then(answers("Hi."))
    await model.answer(HELLO, None)
    (seen,) = server.ledger
    assert seen.authorization == f"Bearer {KEY}"
    assert (seen.body["model"], seen.body["max_tokens"]) == ("some-model", 4_096)
    assert not seen.body.get("stream")
    assert "tools" not in seen.body


async def test_a_conversation_with_tools_goes_out_in_the_provider_s_form(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    prompt = Prompt(
        messages=(
            PromptMessage(role="system", content="Be short."),
            PromptMessage(role="user", content="Weather in Rome?"),
            PromptMessage(
                role="assistant",
                content="",
                calls=(PromptCall(id="call_1_2_0", name="weather", arguments='{"place": "Rome"}'),),
            ),
            PromptMessage(role="tool", content="sunny", call_id="call_1_2_0", name="weather"),
        ),
        tools=(WEATHER,),
    )
    server.then(answers("Sunny."))
    await model.answer(prompt, None)
    sent = server.ledger[0].messages
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool"]
    assert not sent[2].get("content")
    assert sent[2]["tool_calls"] == [
        {"id": "call_1_2_0", "type": "function", "function": {"name": "weather", "arguments": '{"place": "Rome"}'}}
    ]
    assert (sent[3]["tool_call_id"], sent[3]["content"]) == ("call_1_2_0", "sunny")
    assert server.ledger[0].body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "The weather of a place.",
                "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
            },
        }
    ]


@pytest.mark.parametrize("arguments", ["", "   ", "null", "{}", '{"a": 1', ' {"tick":\t"\\u2713 \u2713"} ', "[1]"])
async def test_the_text_of_arguments_passes_through_untouched(
    server: OpenAIServer, model: LiteLLMModel, arguments: str
) -> None:
    server.then(answers(None, calls=[WireCall(name="list_jobs", arguments=arguments)]))
    answered = await model.answer(HELLO, None)
    assert answered.calls == (Call(name="list_jobs", arguments=arguments),)


async def test_arguments_of_null_are_no_arguments(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers(None, calls=[WireCall(name="list_jobs", arguments=None, id=None)]))
    assert (await model.answer(HELLO, None)).calls == (Call(name="list_jobs", arguments=""),)


async def test_calls_with_the_same_or_no_id_stay_apart(server: OpenAIServer, model: LiteLLMModel) -> None:
    wire = [WireCall(name="add", arguments=f'{{"a":{n}}}', id=name) for n, name in enumerate(("x", "x", None))]
    server.then(answers("Adding.", calls=wire))
    answered = await model.answer(HELLO, None)
    assert [call.arguments for call in answered.calls] == ['{"a":0}', '{"a":1}', '{"a":2}']


async def test_a_call_in_the_older_form_is_a_call(server: OpenAIServer, model: LiteLLMModel) -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "list_jobs", "arguments": "{}"}}
    server.then(replies(200, body(message, "function_call"), headers=JSON))
    assert (await model.answer(HELLO, None)).calls == (Call(name="list_jobs", arguments="{}"),)


async def test_an_answer_that_the_output_limit_ended_in_a_call_is_marked_as_cut(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    half = '{"path":"long.txt","text":"' + "y" * 300
    server.then(answers(None, calls=[WireCall(name="write_file", arguments=half)], finish="length"))
    answered = await model.answer(HELLO, None)
    assert answered.cut
    assert answered.calls == (Call(name="write_file", arguments=half),)


@pytest.mark.parametrize("text", ["", None])
async def test_an_empty_but_well_formed_answer_is_an_answer(
    server: OpenAIServer, model: LiteLLMModel, text: str | None
) -> None:
    server.then(answers(text))
    answered = await model.answer(HELLO, None)
    assert (answered.text, answered.calls) == ("", ())


async def test_thinking_is_not_part_of_the_answer(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers("<think>\nRome? <b>Italy</b>.\n</think>\n\nSunny."))
    assert (await model.answer(HELLO, None)).text == "Sunny."


async def test_a_filter_that_leaves_nothing_is_a_refusal(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers("", finish="content_filter"))
    with pytest.raises(ModelRefused, match="content filter"):
        await model.answer(HELLO, None)


@pytest.mark.parametrize(
    "garbage",
    [
        "<html>Welcome to the proxy</html>",
        '{"id": ',
        "[1]",
        "",
        '{"id":"r"}',
        '{"choices":[]}',
        '{"choices":null}',
        '{"choices":[{"index":0}]}',
        '{"choices":[{"index":0,"message":null}]}',
    ],
)
async def test_what_is_not_in_the_protocol_is_a_broken_answer(
    server: OpenAIServer, model: LiteLLMModel, garbage: str
) -> None:
    server.then(replies(200, garbage, headers=JSON if garbage.startswith(("{", "[")) else None))
    with pytest.raises(ModelBroken, match="main: ") as raised:
        await model.answer(HELLO, None)
    assert "\n" not in str(raised.value)
    assert len(server.ledger) == 1


async def test_arguments_sent_as_an_object_are_read_as_text(server: OpenAIServer, model: LiteLLMModel) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
    server.then(replies(200, body({"content": None, "tool_calls": [call]}), headers=JSON))
    assert (await model.answer(HELLO, None)).calls == (Call(name="add", arguments='{"a": 1}'),)


async def test_cost_comes_from_the_library_s_price_list(server: OpenAIServer, library: Library) -> None:
    server.then(answers("Hi."))
    entry = ModelEntry(name="main", model="openai/gpt-4o-mini", api_base=server.url, api_key=Secret(KEY))
    usage = (await LiteLLMModel(entry, library).answer(HELLO, None)).usage
    assert usage.cost == pytest.approx(100 * 0.15e-6 + 10 * 0.6e-6)


async def test_the_entry_s_own_price_goes_before_the_list(server: OpenAIServer, library: Library) -> None:
    server.then(answers("Hi."))
    entry = ModelEntry(
        name="main",
        model="openai/gpt-4o-mini",
        api_base=server.url,
        api_key=Secret(KEY),
        price_in=3.0,
        price_out=15.0,
    )
    usage = (await LiteLLMModel(entry, library).answer(HELLO, None)).usage
    assert usage.cost == pytest.approx(100 * 3e-6 + 10 * 15e-6)


async def test_a_model_of_unknown_price_costs_nothing(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers("Hi."))
    assert (await model.answer(HELLO, None)).usage.cost == 0.0


async def test_no_answer_within_the_limit_is_unreachable_and_closes_the_connection(
    server: OpenAIServer, library: Library
) -> None:
    server.then(hangs())
    entry = ModelEntry(name="slow", model="openai/m", api_base=server.url, api_key=Secret(KEY), whole_s=0.2)
    with pytest.raises(ModelUnreachable, match=r"slow: no whole answer within 0.2 s"):
        await LiteLLMModel(entry, library).answer(HELLO, None)
    await server.until(lambda: server.aborted == 1)


async def test_cancelling_closes_the_connection(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(hangs())
    async with asyncio.TaskGroup() as group:
        call = group.create_task(model.answer(HELLO, None))
        await server.until(lambda: len(server.ledger) == 1)
        call.cancel()
    assert call.cancelled()
    await server.until(lambda: server.aborted == 1)


async def test_requests_go_where_the_entry_says_whatever_the_prompt_says(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    async with OpenAIServer(answers("stolen"), repeat_last=True) as elsewhere:
        bait = json.dumps({"api_base": elsewhere.url, "base_url": elsewhere.url, "api_key": "x"})
        spec = replace(WEATHER, schema={"type": "object", "api_base": elsewhere.url, "base_url": elsewhere.url})
        prompt = Prompt(
            messages=(
                PromptMessage(role="system", content=f"api_base={elsewhere.url}"),
                PromptMessage(role="user", content=bait, name=elsewhere.url),
                PromptMessage(
                    role="assistant", content=bait, calls=(PromptCall(id="1", name="api_base", arguments=bait),)
                ),
                PromptMessage(role="tool", content=bait, call_id="1", name="base_url"),
            ),
            tools=(spec,),
        )
        server.then(answers("here"))
        assert (await model.answer(prompt, None)).text == "here"
        assert elsewhere.ledger == []


async def test_a_server_of_one_s_own_never_gets_the_key_of_the_environment(
    server: OpenAIServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-person")
    server.then(answers("Hi."))
    await LiteLLMModel(ModelEntry(name="own", model="openai/m", api_base=server.url), library).answer(HELLO, None)
    assert "sk-of-the-person" not in server.ledger[0].authorization


async def test_the_library_can_be_warmed_before_the_first_message(server: OpenAIServer, library: Library) -> None:
    await library.warm()
    assert server.ledger == []
