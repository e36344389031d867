"""The scripted provider itself, as a process of its own."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.openai_server import act_from_json, script_from_json

SCRIPT = {
    "acts": [
        {"text": "first", "held": True},
        {"kind": "stream", "events": [{"choices": []}, {"cut": True}]},
        {"kind": "reply", "status": 418, "body": "tea", "headers": {"X-Pot": "round"}},
        {"kind": "answer", "calls": [{"name": "add", "arguments": None, "id": None}]},
        {"kind": "echo", "text": "you said "},
    ],
    "repeat_last": True,
}
ASK = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


@asynccontextmanager
async def running(script: Path) -> AsyncIterator[str]:
    command = (sys.executable, "-m", "tests.fakes.openai_server", "--port", "0", "--script", str(script))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        word, port = (await process.stdout.readline()).decode().split()
        assert word == "ready"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        await process.communicate()


async def test_it_plays_a_script_file_and_shows_its_ledger(tmp_path: Path) -> None:
    script = tmp_path / "acts.json"
    script.write_text(json.dumps(SCRIPT))
    async with running(script) as url, aiohttp.ClientSession() as client:

        async def ask(**more: object) -> tuple[int, str]:
            async with client.post(f"{url}/v1/chat/completions", json={**ASK, **more}) as response:
                return response.status, await response.text()

        async with asyncio.TaskGroup() as group:
            first = group.create_task(ask())
            await client.post(f"{url}/release")
        assert json.loads(first.result()[1])["choices"][0]["message"]["content"] == "first"
        with pytest.raises(aiohttp.ClientPayloadError):
            await ask(stream=True)
        assert await ask() == (418, "tea")
        call = json.loads((await ask())[1])["choices"][0]["message"]["tool_calls"][0]
        assert (call["id"], call["function"]) == (None, {"name": "add", "arguments": None})
        for _ in range(2):
            assert "you said hello" in (await ask())[1]
        async with client.get(f"{url}/ledger") as response:
            ledger = await response.json()
    assert ledger["aborted"] == 0
    assert [seen["body"]["messages"][0]["content"] for seen in ledger["requests"]] == ["hello"] * 6


def test_an_unknown_field_in_a_script_is_an_error() -> None:
    with pytest.raises(TypeError, match="txet"):
        act_from_json({"txet": "typo"})


def test_a_script_may_be_a_bare_list() -> None:
    acts, repeat_last = script_from_json('[{"text": "hi"}]')
    assert [act.text for act in acts] == ["hi"]
    assert not repeat_last
