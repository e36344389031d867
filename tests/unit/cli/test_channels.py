"""`parley channels`, and what wrong settings say on the command line."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from channels import registry, terminal
from channels.contract import AnySpec
from core.domain.errors import SettingsError
from gateway.cli import run
from tests.unit.settings.test_references import TEN


def _shout(settings: BaseModel | None, arguments: Sequence[str]) -> str:
    """Prints its words in capitals."""
    if not arguments:
        raise SettingsError("shout needs a word")
    return f"{' '.join(arguments).upper()} {'set up' if settings else 'not set up'}"


@pytest.fixture
def shouting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal with a verb of its own."""

    def load(name: str, *, attended: bool = False) -> AnySpec:
        assert name == "terminal"
        return replace(terminal.SPEC, verbs={"shout": _shout})

    monkeypatch.setattr(registry, "load", load)


def test_accounts_are_listed_with_their_state(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "parley.toml").write_text("[channels.terminal]\n[channels.terminal.accounts.den]\nenabled = false\n")
    assert run(["channels", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["key"], one["state"]) for one in found] == [
        ("channels.terminal", "on"),
        ("channels.terminal.accounts.den", "off"),
    ]
    assert run(["channels"]) == 0
    assert "terminal:den" in capsys.readouterr().out


@pytest.mark.usefixtures("shouting")
def test_a_channel_has_verbs_of_its_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["channels", "terminal"]) == 0
    assert capsys.readouterr().out == "shout  Prints its words in capitals.\n"
    assert run(["channels", "terminal", "shout", "hello", "--loud"]) == 0
    assert capsys.readouterr().out == "HELLO --LOUD not set up\n"
    assert run(["channels", "terminal", "shuot"]) == 2
    assert "there is no verb shuot; known are: shout" in capsys.readouterr().err


def test_applying_needs_a_service(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "apply"]) == 1
    assert capsys.readouterr().err == "parley: parley run serves no channel now: it reads the settings when it starts\n"


@pytest.mark.parametrize(("toml", "said"), [pair[1:] for pair in TEN], ids=[one[0] for one in TEN])
@pytest.mark.parametrize("verb", [["config", "validate"], ["run"]], ids=["validate", "run"])
def test_wrong_settings_are_one_line_and_code_2(
    here: Path, capsys: pytest.CaptureFixture[str], verb: list[str], toml: str, said: str
) -> None:
    (here / "parley.toml").write_text(toml)
    assert run(verb) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = [one for one in err.splitlines() if "is now private" not in one]
    assert line.replace(f"{here}/", "").startswith(f"parley: {said}")
