"""What the reading verbs print, for people and for programs."""

import json
import stat
from pathlib import Path

import pytest

from core.domain.errors import SettingsError
from gateway.cli import run
from gateway.cli.local_model import with_local
from tests.processes.cli.commanding import ROOT
from tests.unit.settings.place import Place

Capture = pytest.CaptureFixture[str]

TOML = """
model = "slow"
[models.fast]
model = "openai/small"
api_key_env = "FAST_KEY"
price_in = 0.25
[models.slow]
model = "anthropic/large"
api_key = "canary-key-1"
api_base = "https://me:canary-pass@host.test/v1"
[channels.terminal]
allow_from = ["anna"]
[limits]
turns = 9
"""


@pytest.fixture
def here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this process, with settings in it."""
    monkeypatch.setenv("PARLEY_HOME", str(home))
    monkeypatch.setenv("PARLEY_LIMITS__TOOL_S", "7")
    (home / "parley.toml").write_text(TOML)
    return home


@pytest.fixture
def place(home: Path) -> Place:
    """The home folder, to be written and read."""
    return Place(home=home)


def says(capsys: Capture, *arguments: str) -> str:
    """Standard output of a command that succeeds."""
    assert run(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_config_show_never_shows_a_secret(here: Path, capsys: Capture, form: tuple[str, ...]) -> None:
    out = says(capsys, "config", "show", *form)
    assert "canary" not in out
    assert "***" in out


def test_config_show_says_where_each_value_comes_from(here: Path, capsys: Capture) -> None:
    lines = says(capsys, "config", "show").splitlines()
    assert lines[0] == f"# {here}/parley.toml"
    assert "turns = 9  # parley.toml:14" in lines
    assert "tool_s = 7.0  # PARLEY_LIMITS__TOOL_S" in lines
    assert "queued_chat = 50  # default" in lines
    assert 'api_key = "***"  # parley.toml:9' in lines


def test_config_show_prints_a_file_that_is_right_again(here: Path, capsys: Capture) -> None:
    out = says(capsys, "config", "show")
    (here / "parley.toml").write_text(out.replace("me:***@", "").replace("***@", ""))
    assert says(capsys, "config", "validate") == f"{here}/parley.toml: valid\n"


def test_config_show_as_json_has_values_and_origins(here: Path, capsys: Capture) -> None:
    found = json.loads(says(capsys, "config", "show", "--json"))
    assert found["settings"]["limits"]["turns"] == 9
    assert found["settings"]["channels"]["terminal"]["allow_from"] == ["anna"]
    assert found["origins"]["limits.turns"] == "parley.toml:14"
    assert found["origins"]["agent"] == "default"


def test_config_validate_says_so_and_tells_what_it_mended(here: Path, capsys: Capture) -> None:
    (here / "parley.toml").chmod(0o644)
    assert run(["config", "validate"]) == 0
    said = capsys.readouterr()
    assert said.out == f"{here}/parley.toml: valid\n"
    assert said.err.splitlines()[0].endswith("it is now private (0600)")
    assert stat.S_IMODE((here / "parley.toml").stat().st_mode) == 0o600
    found = json.loads(says(capsys, "config", "validate", "--json"))
    assert found["valid"] is True
    assert found["notices"] == ["models.fast.api_key_env names FAST_KEY, which is not set: this model has no key"]


def test_config_validate_knows_the_tools(here: Path, capsys: Capture) -> None:
    (here / "parley.toml").write_text("[tools.web_fetsh]\napproval = 'deny'\n")
    assert run(["config", "validate"]) == 2
    assert capsys.readouterr().err.endswith(":1: tools.web_fetsh is not known here; did you mean web_fetch?\n")


def test_the_schema_has_every_section_and_every_channels_own_keys(here: Path, capsys: Capture) -> None:
    properties = json.loads(says(capsys, "config", "schema"))["properties"]
    sections = {"model", "agent", "models", "channels", "limits", "texts", "store", "logs", "tools", "web"}
    assert set(properties) == sections
    terminal = properties["channels"]["properties"]["terminal"]["properties"]
    assert {"enabled", "allow_from", "session"} <= set(terminal)
    assert "max_bytes" in properties["tools"]["properties"]["web_fetch"]["properties"]


def test_models_list_marks_the_one_that_answers_and_shows_no_key(here: Path, capsys: Capture) -> None:
    lines = says(capsys, "models", "list").splitlines()
    assert lines[1].split()[:3] == ["*", "slow", "anthropic/large"]
    assert lines[2].endswith("FAST_KEY is not set")
    assert lines[3] == "slow (anthropic/large) answers: [models.slow] is chosen in parley.toml."
    found = json.loads(says(capsys, "models", "list", "--json"))
    assert found["active"]["name"] == "slow"
    assert [model["key"] for model in found["models"]] == ["set", "FAST_KEY is not set"]
    assert "canary" not in json.dumps(found)


def test_models_list_says_which_model_the_environment_gives(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "parley.toml").write_text("")
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key-2")
    out = says(capsys, "models", "list")
    assert "OPENAI_API_KEY is set in the environment" in out
    assert "parley models add local" in out
    assert "canary" not in out


def test_agents_list_show_and_check_tell_the_same_agent(here: Path, capsys: Capture) -> None:
    assert "main  Main  chat" in says(capsys, "agents", "list")
    shown = says(capsys, "agents", "show", "main")
    assert shown.startswith("Main (main)\n")
    assert "# Who you are" in shown
    assert says(capsys, "agents", "check") == "Every agent is right.\n"
    assert json.loads(says(capsys, "agents", "check", "--json")) == {"problems": []}
    found = json.loads(says(capsys, "agents", "show", "main", "--json"))
    assert found["folder"] == str(ROOT / "agents" / "main")
    assert found["instructions"].startswith("# Who you are")


def test_agents_check_finds_what_is_broken_and_what_names_nothing(here: Path, capsys: Capture) -> None:
    folder = here / "workspace" / "agents"
    for name in ("typo", "broken"):
        (folder / name).mkdir(parents=True)
        (folder / name / "AGENT.md").write_text("Help.")
    meta = {"name": "T", "type": "task", "description": "d", "tools": ["read_fil"], "model": "fsat"}
    (folder / "typo" / "meta.json").write_text(json.dumps(meta))
    (folder / "broken" / "meta.json").write_text("{")
    named = TOML.replace("allow_from =", 'agent = "gone"\nallow_from =')
    (here / "parley.toml").write_text(f"agent = 'typo'\n{named}")
    assert run(["agents", "check"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    found = [line.replace(f"{folder}/", "").replace(f"{here}/", "") for line in said.err.splitlines()]
    cannot = "names an agent that cannot answer"
    wrong = [
        "parley: broken/meta.json:1: not valid JSON",
        "parley: typo/meta.json: tools: read_fil is not known here; did you mean read_file?",
        "parley: typo/meta.json: client (or model): fsat is not known here; did you mean fast?",
        f"parley: parley.toml:1: agent {cannot}: typo/meta.json: type is 'task', and only a chat agent can ",
        f"parley: parley.toml:13: channels.terminal.agent {cannot}: there is no agent gone: make the folder gone, ",
    ]
    for line, start in zip([line for line in found if "api_key_env" not in line], wrong, strict=True):
        assert line.startswith(start)
    assert run(["agents", "check", "--json"]) == 2
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 5


def test_the_local_model_is_added_once_and_never_over_another(place: Place) -> None:
    after = with_local(place.writes(TOML.strip()).loads())
    assert after is not None
    assert after.endswith('turns = 9\n\n# A small model on this machine.\n[models.local]\nmodel = "openai/local"\n')
    assert with_local(place.writes(after).loads()) is None
    place.writes('[models.local]\nmodel = "openai/other"\n')
    with pytest.raises(SettingsError, match=r"models\.local is another model already: give that section another name"):
        with_local(place.loads())
