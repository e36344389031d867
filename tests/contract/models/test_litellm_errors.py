"""Every way in which a provider can fail, as the real library tells it and as the engine hears of it."""

import asyncio
import json

import pytest

from core.domain.errors import ContextTooLong, ModelBroken, ModelError, ModelRefused, ModelUnreachable
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from tests.contract.models.conftest import HELLO, KEY
from tests.fakes.openai_server import OpenAIServer, answers, cuts, fails, hangs, replies

PAST = {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}


async def error_of(model: LiteLLMModel, *, streamed: bool = False) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await model.answer(HELLO, (lambda text: None) if streamed else None)
    return raised.value


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("status", "message", "code", "expected"),
    [
        (408, "late", None, ModelUnreachable),
        (409, "conflict", None, ModelUnreachable),
        (429, "slow down", "rate_limit_exceeded", ModelUnreachable),
        (429, "You exceeded your current quota", "insufficient_quota", ModelUnreachable),
        (500, "it broke", None, ModelUnreachable),
        (502, "bad gateway", None, ModelUnreachable),
        (503, "unavailable", None, ModelUnreachable),
        (504, "gateway timeout", None, ModelUnreachable),
        (529, "Overloaded", None, ModelUnreachable),
        (400, "context window 8192 exceeded: 7000 prompt + 4000 output", "context_length_exceeded", ContextTooLong),
        (400, "This model's maximum context length is 8192 tokens", None, ContextTooLong),
        (400, "prompt is too long: 300000 tokens > 200000 maximum", None, ContextTooLong),
        (400, "request (9031 tokens) exceeds the available context size (4096 tokens)", None, ContextTooLong),
        (400, "The input token count exceeds the maximum number of tokens allowed", None, ContextTooLong),
        (413, "request entity too large", None, ContextTooLong),
        (400, "unknown field", None, ModelRefused),
        (400, "flagged", "content_policy_violation", ModelRefused),
        (401, "Incorrect API key provided", None, ModelRefused),
        (402, "Insufficient credits", None, ModelRefused),
        (403, "not in your region", None, ModelRefused),
        (404, "no such model", None, ModelRefused),
        (418, "a teapot", None, ModelRefused),
        (422, "unprocessable", None, ModelRefused),
    ],
)
async def test_each_status_becomes_the_error_that_says_what_to_do(
    server: OpenAIServer,
    model: LiteLLMModel,
    status: int,
    message: str,
    code: str | None,
    expected: type[ModelError],
    streamed: bool,
) -> None:
    server.then(fails(status, message, code=code))
    error = await error_of(model, streamed=streamed)
    assert type(error) is expected
    assert message.split()[-1] in str(error)
    assert len(server.ledger) == 1, "one answer is one request"


async def test_a_rate_limit_carries_the_time_that_the_provider_asked_for(
    server: OpenAIServer, model: LiteLLMModel
) -> None:
    server.then(
        fails(429, "slow down", headers={"Retry-After": "7"}), fails(503, "later", headers={"Retry-After": "2"})
    )
    first, second = await error_of(model), await error_of(model, streamed=True)
    assert isinstance(first, ModelUnreachable)
    assert isinstance(second, ModelUnreachable)
    assert (first.retry_in, second.retry_in) == (7.0, 2.0)


@pytest.mark.parametrize(("headers", "expected"), [({}, None), (PAST, 0.0), ({"Retry-After": "soon"}, None)])
async def test_a_rate_limit_without_a_usable_time_carries_none(
    server: OpenAIServer, model: LiteLLMModel, headers: dict[str, str], expected: float | None
) -> None:
    server.then(fails(429, "slow down", headers=headers))
    error = await error_of(model)
    assert isinstance(error, ModelUnreachable)
    assert error.retry_in == expected


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_connection_closed_without_a_word_is_unreachable(
    server: OpenAIServer, model: LiteLLMModel, streamed: bool
) -> None:
    server.then(cuts())
    assert type(await error_of(model, streamed=streamed)) is ModelUnreachable


async def test_a_body_that_ends_early_is_unreachable(server: OpenAIServer, library: Library) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"id": "r"')
        writer.close()

    async with await asyncio.start_server(half, "127.0.0.1", 0) as raw:
        port = raw.sockets[0].getsockname()[1]
        entry = ModelEntry(name="main", model="openai/m", api_base=f"http://127.0.0.1:{port}/v1", api_key=Secret(KEY))
        assert type(await error_of(LiteLLMModel(entry, library))) is ModelUnreachable


async def test_a_server_that_is_not_there_is_unreachable(library: Library) -> None:
    async with OpenAIServer() as gone:
        url = gone.url
    entry = ModelEntry(name="main", model="openai/m", api_base=url, api_key=Secret(KEY))
    error = await error_of(LiteLLMModel(entry, library))
    assert type(error) is ModelUnreachable
    assert "main: no connection to the provider" in str(error)


@pytest.mark.parametrize(("code", "expected"), [(503, ModelUnreachable), (429, ModelUnreachable), (400, ModelRefused)])
async def test_an_error_inside_a_good_status_counts_by_its_code(
    server: OpenAIServer, model: LiteLLMModel, code: int, expected: type[ModelError]
) -> None:
    body = json.dumps({"error": {"message": "upstream says no", "code": code}})
    server.then(replies(200, body, headers={"Content-Type": "application/json"}))
    assert type(await error_of(model)) is expected


@pytest.mark.parametrize("name", ["no-such-provider/x", "justaname", ""])
async def test_an_id_that_the_library_does_not_know_is_refused(library: Library, name: str) -> None:
    error = await error_of(LiteLLMModel(ModelEntry(name="main", model=name), library))
    assert type(error) is ModelRefused
    assert "[models.main]" in str(error)


async def test_a_provider_without_a_key_is_refused_with_the_table_to_change(library: Library) -> None:
    entry = ModelEntry(name="main", model="anthropic/claude-sonnet-5-5")
    error = await error_of(LiteLLMModel(entry, library))
    assert type(error) is ModelRefused
    assert "change api_key in [models.main]" in str(error)


@pytest.mark.parametrize("status", [400, 401, 429, 500])
async def test_no_error_shows_the_key_or_keeps_the_library_s_own_error(
    server: OpenAIServer, model: LiteLLMModel, status: int
) -> None:
    server.then(fails(status, f"Incorrect key: {KEY}\nand Bearer {KEY}"))
    error = await error_of(model)
    assert KEY not in str(error)
    assert KEY not in repr(error)
    assert "\n" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


OTHERS = [
    "anthropic/claude-sonnet-5-5",
    "gemini/gemini-3.8-flash",
    "openrouter/openrouter/auto",
    "ollama_chat/qwen3:8b",
]


def other(provider: str, url: str, library: Library) -> LiteLLMModel:
    base = url.removesuffix("/v1")
    return LiteLLMModel(ModelEntry(name="main", model=provider, api_base=base, api_key=Secret(KEY)), library)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", OTHERS)
async def test_providers_with_another_wire_form_fail_in_the_same_words(
    server: OpenAIServer, library: Library, provider: str, streamed: bool
) -> None:
    model = other(provider, server.url, library)
    server.then(
        fails(429, "slow down", headers={"Retry-After": "7"}),
        fails(529, "Overloaded"),
        fails(401, f"invalid x-api-key {KEY}"),
        fails(400, "prompt is too long: 300000 tokens > 200000 maximum"),
        fails(404, "no such model"),
        cuts(),
    )
    errors = [await error_of(model, streamed=streamed) for _ in range(6)]
    assert [type(error) for error in errors] == [
        ModelUnreachable,
        ModelUnreachable,
        ModelRefused,
        ContextTooLong,
        ModelRefused,
        ModelUnreachable,
    ]
    assert isinstance(errors[0], ModelUnreachable)
    assert errors[0].retry_in == 7.0
    assert not [error for error in errors if KEY in str(error) or "\n" in str(error)]
    assert len(server.ledger) == 6


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", OTHERS)
async def test_cancelling_closes_the_connection_to_every_provider(
    server: OpenAIServer, library: Library, provider: str, streamed: bool
) -> None:
    server.then(hangs())
    model = other(provider, server.url, library)
    async with asyncio.TaskGroup() as group:
        call = group.create_task(model.answer(HELLO, (lambda text: None) if streamed else None))
        await server.until(lambda: len(server.ledger) == 1)
        call.cancel()
    await server.until(lambda: server.aborted == 1)


async def test_a_very_long_complaint_is_cut(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(fails(400, "echo " * 10_000))
    assert len(str(await error_of(model))) < 500


async def test_the_next_call_after_a_failure_works(server: OpenAIServer, model: LiteLLMModel) -> None:
    server.then(fails(500, "once"), cuts(), replies(200, "<html>"), answers("Here."))
    kinds = [type(await error_of(model)) for _ in range(3)]
    assert kinds == [ModelUnreachable, ModelUnreachable, ModelBroken]
    assert (await model.answer(HELLO, None)).text == "Here."
