"""The frame of the command line: what help costs, exit codes, and errors of one line."""

import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from core.domain.errors import ParleyError, SettingsError, StoreUnusable
from gateway import VERSION
from gateway.cli import VERBS, run
from tests.processes.cli.commanding import ROOT, parley

HEAVY = {
    "aiohttp",
    "asyncio",
    "litellm",
    "logging",
    "prompt_toolkit",
    "pydantic",
    "rich",
    "sqlalchemy",
    "structlog",
    "tomllib",
    "typer",
}


def failing(error: BaseException | None) -> click.Group:
    """Verbs of which one, boom, fails so."""

    @click.command("boom")
    def boom() -> None:
        if error is not None:
            raise error

    return click.Group("parley", commands={"boom": boom})


def test_help_loads_nothing_that_takes_long() -> None:
    program = (
        "import sys\nfrom gateway.cli import run\ncode = run(['--help'])\n"
        "sys.stderr.write(' '.join({name.split('.')[0] for name in sys.modules}))\nsys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert set(done.stderr.split()) & HEAVY == set()
    for name, entry in VERBS.items():
        assert entry.alias or f"  {name} " in done.stdout


def test_every_verb_of_the_table_can_be_loaded_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    for name in VERBS:
        assert run([name, "--help"]) == 0
        assert f"Usage: parley {name}" in capsys.readouterr().out


def test_the_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"parley, version {VERSION}\n"
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (None, 0),
        (ParleyError("no luck"), 1),
        (StoreUnusable("no luck"), 1),
        (SettingsError("no luck"), 2),
        (ExceptionGroup("tasks", [ExceptionGroup("more", [SettingsError("no luck")])]), 2),
        (KeyboardInterrupt(), 130),
        (BaseExceptionGroup("tasks", [KeyboardInterrupt()]), 130),
    ],
)
def test_an_expected_error_is_one_line_and_an_exit_code(
    raised: BaseException | None, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["boom"], failing(raised)) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == ("parley: no luck\n" if code in {1, 2} else "")


def test_an_error_of_several_lines_with_control_characters_is_still_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["boom"], failing(ParleyError("no\nluck\x1b[31m  here"))) == 1
    assert capsys.readouterr().err == "parley: no luck [31m here\n"


def test_a_bug_is_not_dressed_up_as_an_error_of_the_person() -> None:
    with pytest.raises(ZeroDivisionError):
        run(["boom"], failing(ZeroDivisionError()))
    with pytest.raises(ExceptionGroup):
        run(["boom"], failing(ExceptionGroup("tasks", [SettingsError("no luck"), ZeroDivisionError()])))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chta"], "Did you mean chat?"),
        (["nothing-like-it"], "nothing-like-it"),
        (["--nope"], "--nope"),
        (["config", "shwo"], "show"),
        (["config", "show", "--jsn"], "--json"),
        (["agents", "show"], "ID"),
        ([], "Usage: parley"),
    ],
)
def test_wrong_usage_is_code_2_and_names_what_was_wrong(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert hint in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    script = f"{sys.executable} -m gateway.cli config schema | head -c 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PARLEY_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode in {0, 141}


def test_a_stream_that_is_missing_is_no_place_for_another_file(home: Path) -> None:
    program = (
        "import os, sys\nfrom gateway.cli import run\nrun(['config', 'validate'])\n"
        "taken = [os.stat(number).st_rdev == os.stat(os.devnull).st_rdev for number in range(3)]\n"
        "sys.exit(0 if all(taken) and sys.__stderr__ is None else 3)"
    )
    command = 'exec "$0" -c "$1" <&- >&- 2>&-'
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PARLEY_HOME": str(home)}
    done = subprocess.run(["bash", "-c", command, sys.executable, program], env=environment, check=False)
    assert done.returncode == 0


def test_the_real_command_speaks_one_line_and_ends_with_2(home: Path) -> None:
    (home / "parley.toml").write_text("[limits]\nqueud_chat = 3\n")
    said = parley(home, "config", "validate")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"parley: {home}/parley.toml:2: limits.queud_chat is not known here; did you mean queued_chat?\n"
