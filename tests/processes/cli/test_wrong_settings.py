"""Wrong settings through the real command: one line on standard error, code 2, nothing on standard output."""

from pathlib import Path

import pytest

from tests.processes.cli.commanding import parley

FAST = '[models.fast]\nmodel = "openai/x"\n'

KINDS = {
    "a misspelt key": ("[limits]\nturms = 3\n", {}, ":2: limits.turms is not known here; did you mean turns?"),
    "a misspelt section": ("[chanels.terminal]\n", {}, ":1: chanels is not known here; did you mean channels?"),
    "a word for a number": (
        "[limits]\nturns = 'x'\n",
        {},
        ":2: limits.turns must be a whole number, for example turns = 32",
    ),
    "a number out of bounds": (
        "[limits]\nturns = 0\n",
        {},
        ":2: limits.turns must be at least 1, for example turns = 32",
    ),
    "broken TOML": ("agent = main\n", {}, ':1: not valid TOML: a text value stands in quotes, as in key = "value"'),
    "a missing key": (
        "[models.fast]\n",
        {},
        ':1: models.fast.model is missing, for example model = "openai/gpt-5-mini"',
    ),
    "a model that is not there": (
        f'model = "fsat"\n{FAST}',
        {},
        ":1: model names a model that has no section [models.NAME]; did you mean fast?",
    ),
    "an unknown channel": (
        "[channels.terminul]\n",
        {},
        ":1: channels.terminul is not known here; did you mean terminal?",
    ),
    "a channel's own key": (
        "[channels.terminal]\nplane = true\n",
        {},
        ":2: channels.terminal.plane is not known here; did you mean plain?",
    ),
    "a place in a fixed text": (
        "[texts]\nstopped = '{x}'\n",
        {},
        ":2: texts.stopped names {x}, which has no value there; known are: none",
    ),
    "a wrong variable": (
        "",
        {"PARLEY_AGENT": ""},
        "environment variable PARLEY_AGENT: agent must not be empty, for example PARLEY_AGENT=main",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_says_one_line_and_ends_with_code_2(home: Path, kind: str) -> None:
    toml, environ, line = KINDS[kind]
    (home / "parley.toml").write_text(toml)
    said = parley(home, "models", "list", **environ)
    place = "" if line.startswith("environment") else f"{home}/parley.toml"
    assert (said.code, said.out, said.err) == (2, "", f"parley: {place}{line}\n")


def test_a_home_that_cannot_be_used_is_one_line_too(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    said = parley(tmp_path / "home", "models", "list")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "set PARLEY_HOME to a folder" in said.err
