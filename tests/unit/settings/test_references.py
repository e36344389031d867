"""Values that stand elsewhere, keys in camelCase, and accounts: what is read, and what is refused."""

from pathlib import Path

import pytest

from core.domain.secret import Secret
from gateway.redaction import Redactor
from tests.unit.settings.place import Place

MODEL = '[models.fast]\nmodel = "openai/x"\n'


def test_a_text_may_name_a_variable(place: Place) -> None:
    found = place.writes(MODEL + 'api_base = "http://${HOST}:8080/v1"\nscope = "costs $$5"\n').loads(HOST="127.0.0.1")
    assert found.models["fast"].api_base == "http://127.0.0.1:8080/v1"
    assert found.models["fast"].scope == "costs $5"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'scope = "${NOWHERE}"',
            "parley.toml:3: models.fast.scope names the environment variable NOWHERE, which is not",
        ),
        ('scope = "${no way}"', "parley.toml:3: models.fast.scope has a ${} that names no variable: write ${NAME}"),
        ('api_key = { env = "NOWHERE" }', "parley.toml:3: models.fast.api_key names the environment variable NOWHERE"),
        ('api_key = { file = "gone" }', "parley.toml:3: models.fast.api_key names the file gone, which cannot be read"),
        ('api_key = { command = "pass" }', "parley.toml:3: models.fast.api_key is no secret: write a text, { env"),
        (
            'api_key = { command = ["false"] }',
            "parley.toml:3: models.fast.api_key runs false, which failed with code 1",
        ),
        ('api_key = { command = ["true"] }', "parley.toml:3: models.fast.api_key runs true, which printed nothing"),
        ('api_key = { env = "A", file = "b" }', "parley.toml:3: models.fast.api_key is no secret"),
        ('apiKey = "a"\napi_key = "b"', "models.fast.api_key is given twice, also as "),
    ],
)
def test_a_reference_that_leads_nowhere_is_one_line_with_its_key(place: Place, line: str, said: str) -> None:
    assert said in place.writes(MODEL + line + "\n").refuses()


@pytest.mark.parametrize("form", ['{ env = "KEY" }', '{ file = "key.txt" }', '{ command = ["cat", "{}"] }', '"${KEY}"'])
def test_a_secret_can_stand_elsewhere_and_is_masked_all_the_same(place: Place, form: str, tmp_path: Path) -> None:
    canary = "canary-NOTREAL-4711"
    place.writes(MODEL + "api_key = " + form.replace("{}", str(tmp_path / "key.txt")) + "\n", mode=0o644)
    for folder in (place.home, tmp_path):
        (folder / "key.txt").write_text(f"{canary}\n")
    found = place.loads(KEY=canary)
    key = found.models["fast"].api_key
    assert isinstance(key, Secret)
    assert key.reveal() == canary
    assert canary not in repr(found)
    assert canary not in Redactor(found.secrets).text(f"it said {canary}")
    assert place.file.stat().st_mode & 0o777 == 0o644, "it holds no secret, so it may be read"


def test_keys_may_be_written_in_camel_case(place: Place) -> None:
    found = place.writes(
        MODEL
        + 'apiBase = "http://127.0.0.1:1/v1"\n[limits]\nqueuedChat = 7\n'
        + '[channels.terminal]\nallowFrom = ["anna"]\nmaxMessage = 9\n'
    ).loads(PARLEY_LIMITS__QUEUED_CHAT="8")
    assert (found.models["fast"].api_base, found.limits.queued_chat) == ("http://127.0.0.1:1/v1", 8)
    section = found.channels["terminal"]
    assert section.common.allow_from == ("anna",)
    assert section.own is not None
    assert section.own.model_dump()["max_message"] == 9


def test_a_wrong_value_under_a_camel_case_key_is_found_in_its_line(place: Place) -> None:
    said = place.writes("[limits]\nturns = 3\nqueuedChat = 0\n").refuses()
    assert said == "parley.toml:3: limits.queued_chat must be at least 1, for example queued_chat = 50"


def test_a_secret_under_a_camel_case_key_closes_the_file(place: Place) -> None:
    found = place.writes(MODEL + 'apiKey = "sk-NOTREAL-123456"\n', mode=0o644).loads()
    assert any("is now private (0600)" in notice for notice in found.notices)
    assert place.file.stat().st_mode & 0o777 == 0o600


TEN = [
    ("not toml", "[limits\n", "parley.toml:1: not valid TOML: a section is written as [name]"),
    ("an unknown section", "[limit]\nturns = 3\n", "parley.toml:1: limit is not known here; did you mean limits?"),
    ("an unknown key", "[limits]\nturn = 3\n", "parley.toml:2: limits.turn is not known here; did you mean turns?"),
    ("a wrong kind", '[limits]\nturns = "many"\n', "parley.toml:2: limits.turns must be a whole number, for example"),
    ("out of bounds", "[limits]\nturns = 0\n", "parley.toml:2: limits.turns must be at least 1"),
    ("no such choice", '[channels.terminal]\nqueue = "x"\n', 'parley.toml:2: channels.terminal.queue must be "queue"'),
    ("no such channel", "[channels.terminl]\n", "parley.toml:1: channels.terminl is not known here; did you mean"),
    ("no such model", 'model = "fast"\n', "parley.toml:1: model names a model that has no section [models.NAME]"),
    ("a missing key", "[models.fast]\nwindow = 9000\n", "parley.toml:1: models.fast.model is missing, for example"),
    (
        "an unset variable",
        MODEL + 'api_base = "${GONE}"\n',
        "parley.toml:3: models.fast.api_base names the environment",
    ),
]


@pytest.mark.parametrize(("toml", "said"), [pair[1:] for pair in TEN], ids=[one[0] for one in TEN])
def test_each_wrong_configuration_is_one_line_with_file_key_and_right_form(place: Place, toml: str, said: str) -> None:
    assert place.writes(toml).refuses().startswith(said)
