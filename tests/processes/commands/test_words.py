"""What reaches the program, and what comes back from it."""

import json
import signal

import pytest

from tests.processes.commands.bench import Bench

SHOW = "import json, sys; print(json.dumps(sys.argv[1:]))"
HOSTILE = (
    "$(id)",
    "`id`",
    "a\nb",
    "; id",
    "&& id",
    "| id",
    "<(id)",
    "<<END\nid\nEND",
    "a\\\nb",
    "${IFS}id",
    "$HOME",
    "~",
    "*",
    "“smart”",
    "‘quotes’",
    'it\'s "quoted"',
    "",
    " ",
    "--",
    "> file",
)


async def test_every_word_reaches_the_program_as_it_is(bench: Bench) -> None:
    said = await bench.says("python3", "-c", SHOW, *HOSTILE)
    assert json.loads(said) == list(HOSTILE)
    assert not (bench.workspace / "file").exists()


async def test_shell_text_is_for_a_shell_that_was_asked_for(bench: Bench) -> None:
    assert await bench.says("sh", "-c", 'echo "$((1 + 1))"; echo $0 $1', "a", "b") == "2\na b\n"


async def test_the_exit_status_is_told(bench: Bench) -> None:
    done = await bench.runs("sh", "-c", "echo out; echo err >&2; exit 3")
    assert done.failed
    assert done.text.startswith("exit status 3, after ")
    assert done.text.endswith("\nout\nerr\n")
    done = await bench.runs("true")
    assert not done.failed
    assert done.text.startswith("exit status 0, after ")
    assert done.text.endswith("\n(no output)")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
async def test_a_signal_is_told_by_its_name(bench: Bench, number: signal.Signals) -> None:
    done = await bench.runs("sh", "-c", f"kill -{number.value} $$")
    assert done.failed
    assert done.text.startswith(f"ended by {number.name}")


async def test_a_long_output_keeps_both_ends(bench: Bench) -> None:
    said = await bench.says("python3", "-c", "print('start'); print('x' * 200_000); print('end')")
    assert said.startswith("start\n")
    assert said.endswith("\nend\n")
    assert "[... 190,011 characters are left out here ...]" in said


async def test_output_that_is_no_text_does_no_harm(bench: Bench) -> None:
    program = r"import sys; sys.stdout.buffer.write(b'\x1b[2Ja\xff\x00b\x1b]0;t\x07')"
    assert await bench.says("python3", "-c", program) == "a��b"


async def test_a_flood_ends_the_command(bench: Bench) -> None:
    assert (await bench.runs("yes")).text.startswith("ended because it wrote too much")


async def test_it_has_no_input(bench: Bench) -> None:
    assert await bench.says("sh", "-c", "cat; echo end") == "end\n"


async def test_it_runs_where_it_was_told_to(bench: Bench) -> None:
    (bench.workspace / "data" / "site").mkdir(parents=True)
    said = await bench.says("sh", "-c", "pwd; echo x > made", cwd="data/site")
    assert said == f"{bench.workspace.resolve()}/data/site\n"
    assert (bench.workspace / "data" / "site" / "made").read_text() == "x\n"


async def test_a_script_of_the_workspace_runs_by_its_path(bench: Bench) -> None:
    script = bench.workspace / "data" / "run.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho ran $1\n")
    script.chmod(0o755)
    assert await bench.says("./run.sh", "a", cwd="data") == "ran a\n"
    assert await bench.says("data/run.sh", "b") == "ran b\n"
