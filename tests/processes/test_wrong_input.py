"""One clear line, an exit code, no traceback."""

import asyncio
import subprocess
import sys

import pytest

from tests.fakes.openai_server import OpenAIServer, echoes
from tests.processes.house import House
from tests.processes.nursery import ERRORS
from tests.processes.started import ROOT


@pytest.mark.parametrize("name", ["a/b", "a b", "", "-", "x" * 65, "../up"])
async def test_a_sessions_name_that_cannot_be_one_is_a_usage_error(house: House, name: str) -> None:
    done = await house.does("chat", f"--session={name}", said="hello\n")
    assert (done.code, done.output) == (2, "")
    assert "Traceback" not in done.errors
    assert "session" in done.errors


@pytest.mark.parametrize("text", ['agent = "nobody"\n', '[channels.terminal]\nagent = "nobody"\n'])
async def test_an_agent_that_is_not_there_is_named_at_the_start(house: House, text: str) -> None:
    house.settings(text)
    done = await house.does("chat", said="hello\n")
    assert done.code == 2
    assert "parley.toml" in done.complaint
    assert "agent" in done.complaint
    assert house.conversation() == []


async def test_a_process_without_standard_errors_answers(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.ordered(house.order(["chat"], closed=[ERRORS]))
        await piped.says("one\n")
        done = await piped.done()
    assert (done.code, done.output) == (0, "re: one\n")


@pytest.mark.parametrize("arguments", [["--help"], ["status"], ["config", "show"]])
async def test_an_output_that_takes_nothing_is_one_line(house: House, arguments: list[str]) -> None:
    done = await to_a_full_device(house, arguments)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


async def test_a_reply_that_the_output_does_not_take_is_said(house: House) -> None:
    done = await to_a_full_device(house, ["chat", "-m", "hello"])
    assert done.returncode == 1
    assert "output" in done.stderr


async def test_an_output_that_nobody_reads_gives_the_code_that_the_command_line_promises(house: House) -> None:
    piped = await house.piped("chat", "-m", "hello")
    piped.output.close()
    assert (await piped.done()).code == 141


async def to_a_full_device(house: House, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    with open("/dev/full", "w") as full:
        return await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "gateway.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=dict(house.order([]).environment),
        )
