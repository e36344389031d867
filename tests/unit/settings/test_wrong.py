"""Wrong settings: one line each, with the place, the full key and the right form."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.domain.errors import SettingsError
from tests.unit.settings.place import Place

WRONG = {
    "a misspelt key": (
        "[limits]\n# how much\nqueud_chat = 8\n",
        "parley.toml:3: limits.queud_chat is not known here; did you mean queued_chat?",
    ),
    "a misspelt section": (
        "[limit]\nturns = 8\n",
        "parley.toml:1: limit is not known here; did you mean limits?",
    ),
    "a key outside its section": (
        "turns = 8\n",
        "parley.toml:1: turns is not known here; did you mean limits.turns?",
    ),
    "a word for a number": (
        '[limits]\nturns = "many"\n',
        "parley.toml:2: limits.turns must be a whole number, for example turns = 32",
    ),
    "truth for a number": (
        "[limits]\nturns = true\n",
        "parley.toml:2: limits.turns must be a number, not true or false",
    ),
    "a number below its bound": (
        "[limits]\nturns = 0\n",
        "parley.toml:2: limits.turns must be at least 1, for example turns = 32",
    ),
    "an endless number": (
        "[limits]\ntool_s = inf\n",
        "parley.toml:2: limits.tool_s must be a number, for example tool_s = 120",
    ),
    "a word that is not one of the choices": (
        '[store]\n\ndurability = "fast"\n',
        'parley.toml:3: store.durability must be "full" or "relaxed", for example durability = "full"',
    ),
    "a queue mode that there is not": (
        '[channels.terminal]\nqueue = "fast"\n',
        (
            'parley.toml:2: channels.terminal.queue must be "queue", "steer", "collect" or "interrupt",'
            ' for example queue = "queue"'
        ),
    ),
    "an age of nothing": (
        "[channels.terminal]\nmax_age = 0\n",
        "parley.toml:2: channels.terminal.max_age must be more than 0.0, for example max_age = 24",
    ),
    "a word for yes or no": (
        '[logs]\nconversation = "perhaps"\n',
        "parley.toml:2: logs.conversation must be true or false, for example conversation = true",
    ),
    "a value for a section": (
        "channels = 3\n",
        "parley.toml:1: channels must be a table",
    ),
    "a missing key": (
        "agent = 'main'\n[models.fast]\nwindow = 8000\n",
        'parley.toml:2: models.fast.model is missing, for example model = "openai/gpt-5-mini"',
    ),
    "a misspelt key that leaves a required one missing": (
        '[models.fast]\nmodle = "openai/x"\n',
        "parley.toml:2: models.fast.modle is not known here; did you mean model?",
    ),
    "a default model that is not there": (
        'model = "fsat"\n[models.fast]\nmodel = "openai/x"\n',
        "parley.toml:1: model names a model that has no section [models.NAME]; did you mean fast?",
    ),
    "a default model without any": (
        'model = "fast"\n',
        "parley.toml:1: model names a model that has no section [models.NAME]; known are none yet",
    ),
    "a model name that nobody can type": (
        '[models."my model"]\nmodel = "openai/x"\n',
        "parley.toml:1: models.my model is a name that cannot be typed in a chat: use letters, digits and - _ .",
    ),
    "two keys for one model": (
        '[models.fast]\nmodel = "openai/x"\napi_key = "abcdefgh"\napi_key_env = "KEY"\n',
        "parley.toml:3: models.fast.api_key is given beside api_key_env: keep one of them",
    ),
    "a key where the name of a variable belongs": (
        '[models.fast]\nmodel = "openai/x"\napi_key_env = "sk-abc-def"\n',
        'parley.toml:3: models.fast.api_key_env is not of the right form, for example api_key_env = "OPENAI_API_KEY"',
    ),
    "a key that is no text": (
        '[models.fast]\nmodel = "openai/x"\napi_key = 5\n',
        "parley.toml:3: models.fast.api_key must be text",
    ),
    "an address without a scheme": (
        '[models.fast]\nmodel = "openai/x"\napi_base = "localhost:8080"\n',
        'parley.toml:3: models.fast.api_base is not of the right form, for example api_base = "http://127.0.0.1:8080/v1"',
    ),
    "more room for the answer than there is": (
        '[models.fast]\nmodel = "openai/x"\nwindow = 4096\noutput = 4096\n',
        "parley.toml:4: models.fast.output must be less than the window of 4096 tokens",
    ),
    "a channel that does not exist": (
        "[channels.terminl]\n",
        "parley.toml:1: channels.terminl is not known here; did you mean terminal?",
    ),
    "a misspelt key that every channel has": (
        "[channels.terminal]\nenabeld = true\n",
        "parley.toml:2: channels.terminal.enabeld is not known here; did you mean enabled?",
    ),
    "a misspelt key of one channel": (
        '[channels.terminal]\nsesion = "x"\n',
        "parley.toml:2: channels.terminal.sesion is not known here; did you mean session?",
    ),
    "one person where a list belongs": (
        '[channels.terminal]\nallow_from = "anna"\n',
        'parley.toml:2: channels.terminal.allow_from must be a list, for example allow_from = ["U024BE7LH"]',
    ),
    "a fixed text that nobody says": (
        '[texts]\nstoped = "Halt."\n',
        "parley.toml:2: texts.stoped is not known here; did you mean stopped?",
    ),
    "a fixed text with a place that has no value": (
        '[texts]\nstopped = "Halt, {name}."\n',
        "parley.toml:2: texts.stopped names {name}, which has no value there; known are: none",
    ),
    "a fixed text that cannot be filled": (
        '[texts]\nqueue_full = "{n messages"\n',
        "parley.toml:2: texts.queue_full has a brace that is not closed: write {{ and }} for braces",
    ),
    "a tool's approval in other words": (
        '[tools.write_file]\napproval = "yes"\n',
        'parley.toml:2: tools.write_file.approval must be "never", "ask" or "deny"',
    ),
    "a key that only another tool has": (
        "[tools.read_file]\nredirects = 3\n",
        "parley.toml:2: tools.read_file.redirects is not known here; known are approval",
    ),
    "text without quotes": (
        "agent = main\n",
        'parley.toml:1: not valid TOML: a text value stands in quotes, as in key = "value"',
    ),
    "an open bracket": (
        "agent = 'main'\n[limits\n",
        "parley.toml:2: not valid TOML: a section is written as [name]",
    ),
    "a key given twice": (
        "agent = 'main'\nagent = 'other'\n",
        "parley.toml:2: not valid TOML: this key is given twice; keep one",
    ),
    "a section given twice": (
        "[limits]\nturns = 1\n[limits]\n",
        "parley.toml:3: not valid TOML: this section is given twice; keep one",
    ),
    "text that never ends": (
        'agent = """main\n\n',
        "parley.toml:3: not valid TOML: a text ends with the quotes with which it began",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_setting_is_one_line_with_place_key_and_right_form(place: Place, case: str) -> None:
    toml, line = WRONG[case]
    assert place.writes(toml).refuses() == line


def test_a_setting_is_found_behind_statements_of_several_lines(place: Place) -> None:
    toml = '[texts]\nnew = """\nFresh\n\nstart"""\n[channels.terminal]\nallow_from = [\n  "a",\n  "b",\n]\nplain = 7\n'
    assert place.writes(toml).refuses().startswith("parley.toml:11: channels.terminal.plain must be true or false")


def test_a_setting_of_several_lines_is_named_by_its_first(place: Place) -> None:
    toml = "[channels.terminal]\n\n# who\nallow_from = [\n  'a',\n  true,\n]\n"
    assert place.writes(toml).refuses().startswith("parley.toml:4: channels.terminal.allow_from[1] must be text")


def test_dotted_and_inline_tables_have_their_line_too(place: Place) -> None:
    assert place.writes("\nlimits.turns = 'x'\n").refuses().startswith("parley.toml:2: limits.turns must be")
    assert place.writes("\n\nlimits = { turns = 'x' }\n").refuses().startswith("parley.toml:3: limits.turns must be")


def test_the_value_of_a_wrong_setting_is_never_shown(place: Place) -> None:
    for toml in ("[limits]\nturns = 'canary-7'\n", "model = 'canary-7'\n", "[models.a]\napi_key = ['canary-7']\n"):
        assert "canary-7" not in place.writes(toml).refuses()


def test_a_disabled_channel_may_be_half_written_but_not_misspelt_in_common_keys(place: Place) -> None:
    place.writes("[channels.terminal]\nenabled = false\nsession = ''\n")
    assert place.loads().channels["terminal"].own is None
    assert "must be one" not in place.writes("[channels.terminal]\nenabled = 3\n").refuses()


def test_a_tool_that_does_not_exist_is_named_once_the_tools_are_known(place: Place) -> None:
    found = place.writes("[tools.web_fetsh]\napproval = 'deny'\n").loads()
    with pytest.raises(SettingsError, match=r"parley\.toml:1: tools\.web_fetsh is not known .* mean web_fetch\?"):
        found.require_tools({"web_fetch", "read_file"})
    found.require_tools({"web_fetsh"})


WORDS = (
    "[limits]",
    "[models.a]",
    "turns",
    "model",
    " = ",
    "\n",
    "'",
    '"""',
    "8",
    "true",
    "[",
    "]",
    "{",
    "}",
    "#",
    "\x00",
)
PIECES = st.sampled_from(WORDS)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES | st.text(max_size=8), max_size=14).map("".join))
def test_any_text_at_all_is_either_settings_or_one_line(place: Place, toml: str) -> None:
    place.home.mkdir(mode=0o700, exist_ok=True)
    place.file.write_bytes(toml.encode("utf-8", "surrogatepass"))
    try:
        place.loads()
    except SettingsError as error:
        line = str(error)
        assert line.startswith(str(place.file))
        assert line.isprintable()
