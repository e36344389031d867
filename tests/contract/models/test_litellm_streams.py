"""Streamed answers through the real model library."""

import asyncio

import pytest

from core.domain.errors import ModelBroken, ModelError, ModelUnreachable
from core.domain.secret import Secret
from core.domain.step import Call
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from tests.contract.models.conftest import HELLO, KEY
from tests.fakes.openai_server import (
    CUT,
    HANG,
    HOLD,
    OpenAIServer,
    WireCall,
    answers,
    call_delta,
    delta,
    hangs,
    replies,
    streams,
)


def ignore(text: str) -> None:
    """Watches without looking."""


async def test_each_piece_shows_all_text_so_far(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(answers("one two three"))
    shown: list[str] = []
    answered = await model.answer(HELLO, shown.append)
    assert shown == ["one ", "one two ", "one two three"]
    assert answered.text == "one two three"
    assert server.ledger[0].body["stream"] is True


async def test_text_is_shown_while_the_rest_is_still_on_its_way(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(streams(delta(content="now "), HOLD, delta(content="then"), delta("stop")))
    shown: list[str] = []

    def watch(text: str) -> None:
        shown.append(text)
        if text == "now ":
            server.release()

    await model.answer(HELLO, watch)
    assert shown == ["now ", "now then"]


async def test_a_streamed_answer_counts_its_tokens_and_its_cost(server: OpenAIServer, library: Library) -> None:
    server.then(answers("Hi."))
    entry = ModelEntry(name="main", model="openai/gpt-4o-mini", api_base=server.url, api_key=Secret(KEY))
    usage = (await LiteLLMModel(entry, library).answer(HELLO, ignore)).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (100, 10)
    assert usage.cost == pytest.approx(100 * 0.15e-6 + 10 * 0.6e-6)


async def test_streamed_calls_are_put_together(server: OpenAIServer, model: LiteLLMModel) -> None:
    wire = [WireCall(name="add", arguments='{"a": 1}', id="x"), WireCall(name="list_jobs", arguments="", id="y")]
    server.then(answers("Adding.", calls=wire))
    answered = await model.answer(HELLO, ignore)
    assert answered.text == "Adding."
    assert answered.calls == (Call(name="add", arguments='{"a": 1}'), Call(name="list_jobs", arguments=""))


async def test_repeated_and_missing_ids_give_each_call_once(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(
        streams(
            delta(role="assistant", tool_calls=[call_delta(0, "add", '{"a":', id="same")]),
            delta(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}]),
            delta(tool_calls=[call_delta(1, "add", '{"a":2}', id="same")]),
            delta(tool_calls=[call_delta(2, "add", '{"a":3}', id=None)]),
            delta("tool_calls"),
        )
    )
    calls = (await model.answer(HELLO, ignore)).calls
    assert [call.arguments for call in calls] == ['{"a":1}', '{"a":2}', '{"a":3}']


async def test_a_new_id_at_the_same_index_is_another_call(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(
        streams(
            delta(tool_calls=[call_delta(0, "add", '{"a":1}', id="x")]),
            delta(tool_calls=[call_delta(0, "add", '{"a":2}', id="y")]),
            delta("tool_calls"),
        )
    )
    calls = (await model.answer(HELLO, ignore)).calls
    assert [call.arguments for call in calls] == ['{"a":1}', '{"a":2}']


async def test_an_id_that_comes_with_every_piece_doubles_nothing(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(
        streams(
            delta(tool_calls=[call_delta(0, "add", '{"a":', id="x")]),
            delta(tool_calls=[call_delta(0, "add", "12}", id="x")]),
            delta("tool_calls", tool_calls=[call_delta(0, "add", '{"a":12}', id="x")]),
        )
    )
    assert (await model.answer(HELLO, ignore)).calls == (Call(name="add", arguments='{"a":12}'),)


async def test_a_streamed_answer_that_the_output_limit_ended_is_marked_as_cut(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    server.then(answers(None, calls=[WireCall(name="write_file", arguments='{"path":"a')], finish="length"))
    answered = await model.answer(HELLO, ignore)
    assert answered.cut
    assert answered.calls == (Call(name="write_file", arguments='{"path":"a'),)


@pytest.mark.parametrize("end", [[CUT], []], ids=["the connection breaks", "it just ends"])
async def test_a_stream_cut_in_the_middle_is_unreachable_and_the_next_call_begins_anew(
    server: OpenAIServer, model: LiteLLMModel, end: list[dict[str, object]]
) -> None:
    server.then(
        streams(delta(role="assistant", content="The tank holds "), delta(content="forty "), *end),
        answers("The tank holds forty litres."),
    )
    shown: list[str] = []
    with pytest.raises(ModelUnreachable):
        await model.answer(HELLO, shown.append)
    assert shown == ["The tank holds ", "The tank holds forty "]
    answered = await model.answer(HELLO, shown.append)
    assert answered.text == "The tank holds forty litres."
    assert shown[2] == "The "


async def test_an_error_in_the_middle_of_a_stream_is_unreachable(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(streams(delta(content="Well, "), {"raw": 'data: {"error":{"message":"overloaded","code":529}}\n\n'}))
    with pytest.raises(ModelUnreachable, match="overloaded"):
        await model.answer(HELLO, ignore)


@pytest.mark.parametrize("event", ['data: {"id": \n\n', "data: [1]\n\n"])
async def test_garbage_in_the_middle_of_a_stream_is_a_broken_answer(
    server: OpenAIServer, model: LiteLLMModel, event: str
) -> None:
    server.then(streams(delta(content="Well, "), {"raw": event}))
    with pytest.raises(ModelBroken):
        await model.answer(HELLO, ignore)


@pytest.mark.parametrize("body", ["<html>", "", '{"id":"r","choices":[{"message":{"content":"x"}}]}'])
async def test_a_body_that_is_no_stream_is_a_broken_answer(
    server: OpenAIServer, model: LiteLLMModel, body: str
) -> None:
    server.then(replies(200, body))
    with pytest.raises(ModelBroken):
        await model.answer(HELLO, ignore)


async def test_an_empty_but_well_formed_stream_is_an_answer(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(streams(delta(role="assistant", content=""), delta("stop")))
    shown: list[str] = []
    answered = await model.answer(HELLO, shown.append)
    assert (answered.text, answered.calls, shown) == ("", (), [])


async def test_thinking_is_never_shown(server: OpenAIServer, model: LiteLLMModel) -> None:
    pieces = ["<th", "ink>Rome", "? Italy", ".</thi", "nk>\n", "Sunny", " today."]
    server.then(streams(*(delta(content=piece) for piece in pieces), delta("stop")))
    shown: list[str] = []
    answered = await model.answer(HELLO, shown.append)
    assert answered.text == "Sunny today."
    assert not [text for text in shown if "Italy" in text or "<" in text]


async def test_no_byte_within_the_limit_is_unreachable_and_closes_the_connection(
    server: OpenAIServer, library: Library
) -> None:
    server.then(hangs(), streams(HANG))
    entry = ModelEntry(name="slow", model="openai/m", api_base=server.url, api_key=Secret(KEY), first_byte_s=0.2)
    for _ in range(2):
        with pytest.raises(ModelUnreachable, match=r"slow: not a byte of an answer within 0.2 s"):
            await LiteLLMModel(entry, library).answer(HELLO, ignore)
    await server.until(lambda: server.aborted == 2)


async def test_a_stream_that_stops_moving_ends_with_the_whole_limit(server: OpenAIServer, library: Library) -> None:
    server.then(streams(delta(content="Well, "), HANG))
    entry = ModelEntry(name="slow", model="openai/m", api_base=server.url, api_key=Secret(KEY), whole_s=0.3)
    with pytest.raises(ModelUnreachable, match=r"no whole answer within 0.3 s"):
        await LiteLLMModel(entry, library).answer(HELLO, ignore)
    await server.until(lambda: server.aborted == 1)


async def test_cancelling_a_stream_closes_the_connection(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(streams(delta(content="Well, "), HANG))
    started = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        call = group.create_task(model.answer(HELLO, lambda text: started.set()))
        await started.wait()
        call.cancel()
    assert call.cancelled()
    await server.until(lambda: server.aborted == 1)


async def test_what_the_watcher_raises_is_not_taken_for_the_provider_s_fault(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    server.then(streams(delta(content="Well, "), HANG))

    def bad(text: str) -> None:
        raise LookupError(text)

    with pytest.raises(LookupError) as raised:
        await model.answer(HELLO, bad)
    assert not isinstance(raised.value, ModelError)
    await server.until(lambda: server.aborted == 1)
