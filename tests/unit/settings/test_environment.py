"""Variables are settings too: they win over the file, and their errors name them."""

import pytest

from core.domain.errors import SettingsError
from gateway.settings import Environment, load
from tests.unit.settings.place import Place


def test_a_variable_wins_over_the_file(place: Place) -> None:
    found = place.writes("[limits]\nturns = 4\ntool_s = 60\n").loads(PARLEY_LIMITS__TURNS="9")
    assert (found.limits.turns, found.limits.tool_s) == (9, 60)


def test_variables_alone_make_a_model(place: Place) -> None:
    variables = {"PARLEY_MODELS__FAST__MODEL": "openai/x", "PARLEY_MODELS__FAST__API_KEY": "k-1234567"}
    found = place.loads(**variables, PARLEY_MODEL="fast")
    (entry,) = found.model_entries()
    assert (entry.name, entry.model) == ("fast", "openai/x")
    assert entry.api_key is not None
    assert entry.api_key.reveal() == "k-1234567"


def test_a_variable_reaches_a_name_with_capitals_and_hyphens(place: Place) -> None:
    place.writes('[models.GPT-small]\nmodel = "openai/x"\n')
    assert place.loads(PARLEY_MODELS__GPT_SMALL__WINDOW="9000").models["GPT-small"].window == 9_000


def test_a_list_in_a_variable_is_json(place: Place) -> None:
    found = place.loads(PARLEY_CHANNELS__TERMINAL__ALLOW_FROM='["anna", 17]')
    assert found.channels["terminal"].common.allow_from == ("anna", "17")
    line = place.refuses(PARLEY_CHANNELS__TERMINAL__ALLOW_FROM="anna, ben")
    assert line == (
        "environment variable PARLEY_CHANNELS__TERMINAL__ALLOW_FROM: channels.terminal.allow_from must be a list, "
        'for example PARLEY_CHANNELS__TERMINAL__ALLOW_FROM=["U024BE7LH"]'
    )


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("PARLEY_LIMITS__TURNS", "x", "limits.turns must be a whole number, for example PARLEY_LIMITS__TURNS=32"),
        ("PARLEY_LIMITS__TURN", "3", "limits.turn is not known here; did you mean turns?"),
        ("PARLEY_LIMIT__TURNS", "3", "limit is not known here; did you mean limits?"),
        (
            "PARLEY_MODELS__A__WINDOW",
            "3",
            "models.a.model is missing, for example PARLEY_MODELS__A__MODEL=openai/gpt-5-mini",
        ),
        ("PARLEY_AGNET", "main", "agnet is not known here; did you mean agent?"),
        ("PARLEY_LIMITS__", "3", "write it as PARLEY_SECTION__KEY"),
        (
            "PARLEY_STORE__DURABILITY",
            "x",
            'store.durability must be "full" or "relaxed", for example PARLEY_STORE__DURABILITY=full',
        ),
    ],
)
def test_a_wrong_variable_is_named_by_itself(place: Place, variable: str, value: str, line: str) -> None:
    assert place.refuses(**{variable: value}) == f"environment variable {variable}: {line}"


def test_what_kubernetes_sets_for_a_service_of_our_name_is_not_taken_for_settings(place: Place) -> None:
    place.loads(
        PARLEY_SERVICE_HOST="10.0.0.7",
        PARLEY_SERVICE_PORT="8080",
        PARLEY_SERVICE_PORT_HTTP="8080",
        PARLEY_PORT="tcp://10.0.0.7:8080",
        PARLEY_PORT_8080_TCP="tcp://10.0.0.7:8080",
        PARLEY_PORT_8080_TCP_ADDR="10.0.0.7",
    )


def test_the_home_folder_comes_from_its_variable_or_from_the_persons_home(place: Place) -> None:
    elsewhere = place.home / "elsewhere"
    assert load(None, {"PARLEY_HOME": str(elsewhere), "HOME": "/nowhere"}).home.path == elsewhere
    assert load(None, {"HOME": str(place.home)}).home.path == place.home / ".parley"
    assert load(None, {"PARLEY_HOME": "~/mine", "HOME": str(place.home)}).home.path == place.home / "mine"
    assert load(None, {"PARLEY_HOME": "", "HOME": str(place.home)}).home.path == place.home / ".parley"


def test_without_any_home_the_variable_to_set_is_named() -> None:
    with pytest.raises(SettingsError, match="set PARLEY_HOME to the folder"):
        load(None, {})


def test_an_empty_variable_counts_as_not_set_and_the_environment_never_prints() -> None:
    env = Environment({"A_TOKEN": "canary-1", "B": ""})
    assert env.get("A_TOKEN") == "canary-1"
    assert env.get("B") is None
    assert env.get("C") is None
    assert "canary-1" not in f"{env!r} {env}"
