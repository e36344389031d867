"""The model that is used when nobody configured one."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from core.domain.secret import Secret
from core.models.known import KEYS, KNOWN_OUTPUT, KNOWN_WINDOW, ask_ollama, from_environment
from core.models.litellm import Library

TAGS = {"models": [{"name": "nomic-embed-text:latest"}, {"name": "qwen3:8b"}, {"name": "llama3.2:1b"}]}


@asynccontextmanager
async def answering(raw: bytes, *, hang: bool = False) -> AsyncIterator[int]:
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        assert request.startswith(b"GET /api/tags HTTP/1.")
        writer.write(raw)
        if hang:
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        closed.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        await closed.wait()


def http(body: object, status: str = "200 OK") -> bytes:
    return f"HTTP/1.0 {status}\r\nContent-Type: application/json\r\n\r\n{json.dumps(body)}".encode()


def test_without_a_key_nothing_is_found() -> None:
    assert from_environment(lambda name: None) is None
    assert from_environment({"OPENAI_API_KEY": "  "}.get) is None


@pytest.mark.parametrize("key", list(KEYS))
def test_a_key_stands_for_a_model_and_says_why(key: str) -> None:
    found = from_environment({key: " sk-1 "}.get)
    assert found is not None
    assert found.entry.model == KEYS[key]
    assert found.entry.api_key == Secret("sk-1")
    assert found.why == f"{key} is set in the environment"
    assert "sk-1" not in repr(found)


def test_of_several_keys_the_first_of_the_known_order_counts() -> None:
    keys = {"OPENROUTER_API_KEY": "a", "GEMINI_API_KEY": "b", "OPENAI_API_KEY": "c", "ANTHROPIC_API_KEY": "d"}
    order = []
    while (found := from_environment(keys.get)) is not None:
        order.append(found.why.split()[0])
        del keys[order[-1]]
    assert order == ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"]


async def test_the_library_knows_the_models_and_they_hold_what_we_ask_of_them(library: Library) -> None:
    prices = (await library.load()).model_cost
    for key, model in KEYS.items():
        if key == "OPENROUTER_API_KEY":
            continue
        facts = prices.get(model) or prices[model.split("/", 1)[1]]
        assert facts["mode"] == "chat"
        assert facts["supports_function_calling"]
        assert facts["supports_vision"]
        assert facts["max_input_tokens"] >= KNOWN_WINDOW
        assert facts["max_output_tokens"] >= KNOWN_OUTPUT


async def test_an_ollama_is_used_with_its_first_chat_model() -> None:
    async with answering(http(TAGS)) as port:
        found = await ask_ollama(port=port, patience_s=5.0)
    assert found is not None
    assert (found.entry.model, found.entry.api_base) == ("ollama_chat/qwen3:8b", f"http://127.0.0.1:{port}")
    assert found.why == f"Ollama answers on 127.0.0.1:{port} and no key is set"


@pytest.mark.parametrize(
    "raw",
    [
        http({"models": []}),
        http({"models": [{"name": "nomic-embed-text"}]}),
        http({"models": "none"}),
        http({"models": [1, {"name": 2}]}),
        http([]),
        http(TAGS, "404 Not Found"),
        b"HTTP/1.0 200 OK\r\n\r\n<html>",
        b"HTTP/1.0 200 OK\r\n\r\n\xff\xfe",
        b"nonsense",
        b"x" * 200_000,
        b"",
    ],
)
async def test_anything_else_on_that_port_is_no_ollama(raw: bytes) -> None:
    async with answering(raw) as port:
        assert await ask_ollama(port=port, patience_s=5.0) is None


async def test_nothing_on_that_port_is_no_ollama() -> None:
    async with await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
    assert await ask_ollama(port=port) is None


async def test_an_ollama_that_does_not_answer_is_not_waited_for() -> None:
    async with answering(b"", hang=True) as port:
        assert await ask_ollama(port=port, patience_s=0.05) is None
