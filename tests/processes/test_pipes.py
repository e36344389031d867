"""`parley chat` between pipes: every line is answered, in order, and nothing else goes to the output."""

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer, answers, echoes, fails, hangs
from tests.processes.house import House, Told, answered
from tests.processes.nursery import ERRORS, OUTPUT
from tests.processes.started import ROOT

LINES = 200
CASES = {
    "two lines": (b"a\nb\n", ["a", "b"]),
    "a last line without an end": (b"a\nb", ["a", "b"]),
    "lines of another system": (b"a\r\nb\r\n", ["a", "b"]),
    "empty lines between": (b"\n\na\n\n \nb\n\n", ["a", "b"]),
    "bytes that are no text": (b"a\xff\xfeb\nc\x00d\n", ["a\ufffd\ufffdb", "c\ufffdd"]),
    "a paste of two lines": (b"\x1b[200~one\ntwo\x1b[201~\nthree\n", ["one\ntwo", "three"]),
    "a paste that was cut off": (b"\x1b[200~one\ntwo", ["one\ntwo"]),
    "the word that leaves": (b"a\n/exit\nb\n", ["a"]),
}


@pytest.mark.parametrize("case", CASES)
async def test_each_message_of_the_input_is_answered_in_order(house: House, case: str) -> None:
    data, messages = CASES[case]
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        done = await house.does("chat", said=data)
    assert (done.code, done.output, done.errors) == (0, "".join(f"re: {message}\n" for message in messages), "")
    assert house.conversation() == [answered(message, f"re: {message}") for message in messages]


@pytest.mark.parametrize(
    ("arguments", "said", "message"), [(["-m", "one"], "", "one"), (["-m", "-"], "one\ntwo\n", "one\ntwo")]
)
async def test_one_shot(house: House, arguments: list[str], said: str, message: str) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        done = await house.does("chat", *arguments, said=said)
    assert (done.code, done.output, done.errors) == (0, f"re: {message}\n", "")


@pytest.mark.parametrize("arguments", [[], ["-m", ""], ["-m", "-"]])
async def test_nothing_said_is_nothing_done(house: House, arguments: list[str]) -> None:
    async with OpenAIServer() as server:
        house.uses(server)
        done = await house.does("chat", *arguments)
    assert (done.code, done.output, done.errors) == (0, "", "")
    assert house.conversation() == []


async def test_an_input_that_is_a_file_is_read_like_a_pipe(house: House, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text("a\nb\n")
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        nothing = await house.piped("chat", source=Path("/dev/null"))
        assert (await nothing.done()).code == 0
        piped = await house.piped("chat", source=lines)
        done = await piped.done()
    assert (done.code, done.output, done.errors) == (0, "re: a\nre: b\n", "")


async def test_many_lines_at_once_are_all_taken(house: House) -> None:
    lines = [f"line {number}" for number in range(LINES)]
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        done = await house.does("chat", said="".join(f"{line}\n" for line in lines))
    assert (done.code, done.errors) == (0, "")
    assert done.output.splitlines() == [f"re: {line}" for line in lines]


async def test_a_line_that_is_too_long_is_refused_as_a_whole_and_the_next_one_is_answered(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        done = await house.does("chat", said=b"x" * 2_000_000 + b"\nafter\n")
    assert (done.code, done.output) == (1, "re: after\n")
    assert done.errors == "This message was not taken: it is longer than 1,000,000 characters.\n"
    assert house.conversation() == [answered("after", "re: after")]


async def test_a_turn_that_failed_is_said_on_the_output_and_in_the_exit_code(house: House) -> None:
    async with OpenAIServer(fails(401, "no"), answers("Fine.")) as server:
        house.uses(server)
        done = await house.does("chat", said="one\ntwo\n")
    assert done.code == 1
    assert done.output == "I could not answer this: the model refused. /retry tries again. (1)\nFine.\n"


async def test_an_output_that_nobody_reads_loses_nothing(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.piped("chat")
        piped.output.close()
        await piped.says("one\n")
        assert (await piped.done()).code == 141
        assert house.conversation() == [Told(said="one", state="done", replies=(("re: one", "new"),))]
        done = await house.does("chat", said="two\n")
    assert (done.code, done.output) == (0, "re: one\nre: two\n")


async def test_a_reply_that_could_not_be_printed_comes_before_later_ones(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        for number in range(5):  # the pause before another try is drawn by chance: five tries
            piped = await house.piped("chat", "--session", f"s{number}")
            piped.output.close()
            await piped.says("one\n")
            await piped.done()
            done = await house.does("chat", "--session", f"s{number}", said="two\n")
            assert (done.code, done.output) == (0, "re: one\nre: two\n")


async def test_an_output_that_was_never_there_loses_nothing(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.ordered(house.order(["chat"], closed=[OUTPUT]))
        await piped.says("one\n")
        assert (await piped.done()).code != 0
    assert house.conversation() == [Told(said="one", state="done", replies=(("re: one", "new"),))]


async def test_a_process_without_standard_errors_answers(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.ordered(house.order(["chat"], closed=[ERRORS]))
        await piped.says("one\n")
        done = await piped.done()
    assert (done.code, done.output) == (0, "re: one\n")


async def test_a_reply_that_the_output_does_not_take_is_said_and_kept(house: House) -> None:
    done = await to_a_full_device(house, "chat", "-m", "hello")
    assert done.returncode == 1
    assert done.stderr == f"The output cannot be written: {os.strerror(errno.ENOSPC)}. The next window shows it.\n"
    (kept,) = house.conversation()
    assert [state for _, state in kept.replies] == ["new"]


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("arguments", ["--help", "chat --help", "status", "config show", "config schema"])
async def test_an_output_that_takes_nothing_is_one_line(house: House, arguments: str, buffered: bool) -> None:
    done = await to_a_full_device(house, *arguments.split(), PYTHONUNBUFFERED="" if buffered else "1")
    assert done.returncode == 1
    assert done.stderr == f"parley: the standard output cannot be written: {os.strerror(errno.ENOSPC)}\n"


async def to_a_full_device(house: House, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, since the interpreter's last flush is what goes wrong."""
    with open("/dev/full", "w") as full:
        return await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "gateway.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=dict(house.order([], environment=environment).environment),
        )


async def test_what_was_interrupted_is_answered_before_what_comes_next(house: House) -> None:
    async with OpenAIServer(hangs(), echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.piped("chat", "-m", "one")
        await server.until(lambda: len(server.ledger) == 1)
        await piped.process.is_killed()
        done = await house.does("chat", "-m", "two")
    assert (done.code, done.output) == (0, "re: one\nre: two\n")
