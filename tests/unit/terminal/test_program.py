"""The terminal channel as a process, with real standard streams."""

import asyncio
import os
import pty
import sys
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = (sys.executable, "-m", "tests.unit.terminal.program")
PASTE = b"\x1b[200~ask 1\nline 2\nline 3\x1b[201~\n"
PASTED = "1 turns: ['ask 1\\nline 2\\nline 3']\n"


async def test_a_pasted_block_and_the_end_of_the_input_give_one_answer_without_codes() -> None:
    process = await asyncio.create_subprocess_exec(*PROGRAM, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    out, err = await process.communicate(PASTE)
    assert out == b"ok   done\n"
    assert err.decode() == PASTED
    assert process.returncode == 0


async def test_the_same_on_a_pseudo_terminal() -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, cwd=ROOT, stdin=slave, stdout=slave, stderr=PIPE, env=environment
    )
    os.close(slave)
    screen = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    loop.add_reader(master, lambda: screen.feed_data(_read(master)))
    try:
        async with asyncio.timeout(10):
            await screen.readuntil(b">")
            os.write(master, PASTE.replace(b"\n", b"\r"))
            shown = await screen.readuntil(b"done")
            os.write(master, b"\x04")
            _, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        loop.remove_reader(master)
        os.close(master)
    assert err.decode() == PASTED
    assert process.returncode == 0
    assert b"ok   done" in shown
    assert not any(code in shown for code in (b"\x1b]", b"\x07", b"\x1b[2J", b"owned"))


@pytest.mark.parametrize(
    ("redirection", "code", "told"),
    [
        ("<&-", 0, "0 turns: []"),
        ("</dev/null", 0, "0 turns: []"),
        ("<<< hello >&-", 1, "1 turns: ['hello']"),
        (
            "-m hello <&- >/dev/full",
            1,
            "The output cannot be written: No space left on device. The next window shows it.\n1 turns: ['hello']",
        ),
        (r"-m - < <(printf 'a\nb\n')", 0, r"1 turns: ['a\nb']"),
    ],
)
async def test_whatever_the_streams_are_it_ends_without_a_traceback(redirection: str, code: int, told: str) -> None:
    command = f"exec {' '.join(PROGRAM)} {redirection}"
    process = await asyncio.create_subprocess_exec("bash", "-c", command, cwd=ROOT, stdout=DEVNULL, stderr=PIPE)
    _, err = await process.communicate()
    assert err.decode().strip() == told
    assert process.returncode == code


async def test_it_ends_when_the_next_program_of_a_pipeline_has_seen_enough() -> None:
    command = f"yes hello | {' '.join(PROGRAM)} | head -n 1"
    process = await asyncio.create_subprocess_exec("bash", "-c", command, cwd=ROOT, stdout=PIPE, stderr=PIPE)
    out, err = await asyncio.wait_for(process.communicate(), 20)
    assert out == b"you said hello\n"
    assert b"Traceback" not in err


def _read(fd: int) -> bytes:
    with suppress(OSError):
        return os.read(fd, 65_536)
    return b""
