"""Nothing that a command started is left, however it ends."""

import asyncio
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.processes.commands.bench import Bench, running
from tests.processes.commands.conftest import TROUBLE, needs_proc
from tests.processes.house import until
from tests.processes.started import ROOT

pytestmark = needs_proc

# Ignores every signal that can be ignored, in three processes: itself, a child, and a grandchild that left the session.
TREE = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
print("up", flush=True)
while True:
    time.sleep(100)
"""
QUICK_S = 2.0


@pytest.fixture
def mark() -> str:
    """A word that stands in the command lines of this test only."""
    return f"mark-{uuid.uuid4().hex}"


def of_the_tree(mark: str) -> int:
    return sum(line.startswith(("python3 ", "/usr/bin/python3 ")) for line in running(mark))


async def all_up(mark: str) -> None:
    await until(lambda: of_the_tree(mark), lambda count: count == 3)


async def test_a_tree_that_ignores_everything_is_gone_two_seconds_after_a_cancel(bench: Bench, mark: str) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(bench.runs("python3", "-c", TREE, mark))
        await all_up(mark)
        started = time.monotonic()
        task.cancel()
    assert running(mark) == []
    assert time.monotonic() - started < QUICK_S


async def test_it_is_gone_two_seconds_after_its_time_is_up(bench: Bench, mark: str) -> None:
    started = time.monotonic()
    done = await bench.runs("python3", "-c", TREE, mark, timeout_s=1)
    assert time.monotonic() - started < 1 + QUICK_S
    assert done.text.startswith("ended because it took longer than 1 s")
    assert done.text.endswith("up\n")
    assert running(mark) == []


async def test_what_is_asked_to_end_may_tidy_up(bench: Bench) -> None:
    text = "trap 'echo tidied; exit' TERM; echo up; while true; do sleep 0.05; done"
    done = await bench.runs("sh", "-c", text, timeout_s=1)
    assert done.text.endswith("\ntidied\n")


async def test_what_it_leaves_behind_ends_with_it(bench: Bench, mark: str) -> None:
    text = 'setsid python3 -c "import time; time.sleep(100)" "$1" & echo done'
    said = await bench.says("sh", "-c", text, "sh", mark)
    assert said == "done\n"
    assert running(mark) == []


@pytest.mark.parametrize("sandboxed", ["yes", "no"])
async def test_a_killed_gateway_leaves_nothing(tmp_path: Path, mark: str, sandboxed: str) -> None:
    if sandboxed == "yes" and TROUBLE:
        pytest.skip(f"no sandbox on this machine: {TROUBLE}")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    gateway = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.processes.commands.alone", str(workspace), sandboxed, "python3", "-c", TREE, mark),
        cwd=ROOT,
    )
    await all_up(mark)
    started = time.monotonic()
    gateway.kill()
    await gateway.wait()
    await until(lambda: running(mark), lambda found: not found)
    assert time.monotonic() - started < QUICK_S
