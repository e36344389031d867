"""The named models and the choice among them."""

from dataclasses import replace

import pytest

from core.domain.errors import ModelRefused, SettingsError
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.known import Found
from core.models.litellm import Library
from core.models.registry import Active, ReadyModels, Registry, make_registry
from core.models.scripted import ScriptedModel
from core.ports import Models

FAST = ModelEntry(name="fast", model="openai/small", api_key=Secret("sk-fast"), priority=50)
DEEP = ModelEntry(name="deep", model="openai/large", api_key=Secret("sk-deep"))
HOME = ModelEntry(name="home", model="openai/local", api_base="http://127.0.0.1:9/v1")


def registry(*entries: ModelEntry, default: str | None = None) -> Registry:
    return Registry(entries, default=default, library=Library())


def no_key(name: str) -> str | None:
    return None


async def nothing() -> Found | None:
    return None


def test_the_first_entry_is_the_default() -> None:
    models: Models = registry(DEEP, FAST)
    assert models.choose(None).names[0] == "deep"
    assert models.names() == ("deep", "fast")


def test_the_settings_can_name_the_default() -> None:
    models = registry(DEEP, FAST, HOME, default="home")
    assert models.names() == ("home", "deep", "fast")


def test_the_wanted_model_goes_first_and_the_others_stand_in_by_priority() -> None:
    models = registry(DEEP, HOME, FAST)
    assert models.choose("home").names == ("home", "fast", "deep")
    assert models.choose(None).names == ("deep", "fast", "home")


def test_an_unknown_wish_falls_back_to_the_default() -> None:
    assert registry(DEEP, FAST).choose("gone") == registry(DEEP, FAST).choose(None)


def test_a_model_is_made_once_and_has_its_entry_s_limits() -> None:
    models = registry(DEEP, replace(FAST, window=8_000, output=500))
    fast = models.get("fast")
    assert fast is models.get("fast")
    assert (fast.name, fast.size.window, fast.size.output) == ("fast", 8_000, 500)


def test_a_model_that_is_gone_is_refused() -> None:
    with pytest.raises(ModelRefused, match=r"old: there is no \[models.old\] in parley.toml any more"):
        registry(DEEP).get("old")


def test_a_default_that_is_no_model_names_the_table_to_add() -> None:
    with pytest.raises(SettingsError, match=r"parley.toml: .*'old' has no table \[models.old\].*: deep, fast"):
        registry(DEEP, FAST, default="old")


def test_the_version_changes_with_the_models_but_not_with_their_keys() -> None:
    version = registry(DEEP, FAST).choose(None).registry
    assert version == registry(replace(DEEP, api_key=Secret("other")), FAST).choose("fast").registry
    assert version != registry(replace(DEEP, model="openai/larger"), FAST).choose(None).registry
    assert version != registry(DEEP, FAST, default="fast").choose(None).registry
    assert version != registry(DEEP).choose(None).registry


def test_no_key_shows_in_an_entry() -> None:
    assert "sk-deep" not in repr(DEEP)


async def test_configured_models_go_before_keys_and_probes() -> None:
    async def never() -> Found | None:
        raise AssertionError("nobody is to be asked")

    models = await make_registry(
        (DEEP, FAST), default="fast", env={"OPENAI_API_KEY": "x"}.get, library=Library(), probe=never
    )
    assert models.describe() == Active(name="fast", model="openai/small", why="[models.fast] is chosen in parley.toml")


async def test_without_models_the_key_decides_and_nobody_is_probed() -> None:
    async def never() -> Found | None:
        raise AssertionError("nobody is to be asked")

    models = await make_registry((), default=None, env={"GEMINI_API_KEY": "x"}.get, library=Library(), probe=never)
    active = models.describe()
    assert active.model.startswith("gemini/")
    assert active.why == "GEMINI_API_KEY is set in the environment"
    assert models.choose(None).names == (active.name,)


async def test_without_models_and_keys_the_probe_decides() -> None:
    async def ollama() -> Found | None:
        return Found(entry=replace(HOME, name="default"), why="Ollama answers")

    models = await make_registry((), default=None, env=no_key, library=Library(), probe=ollama)
    assert models.describe() == Active(name="default", model="openai/local", why="Ollama answers")


async def test_with_nothing_at_all_the_guide_answers_and_says_why() -> None:
    models = await make_registry((), default=None, env=no_key, library=Library(), probe=nothing)
    assert models.names() == ("guide",)
    assert models.choose("anything").names == ("guide",)
    assert models.get("guide").name == "guide"
    assert models.describe().why == "no model is configured, no key is set and no Ollama answers"


async def test_a_default_without_any_model_is_an_error() -> None:
    with pytest.raises(SettingsError, match=r"\[models.main\]; add it"):
        await make_registry((), default="main", env=no_key, library=Library(), probe=nothing)


def test_models_that_are_ready_can_be_named_too() -> None:
    first, second = ScriptedModel(name="first"), ScriptedModel(name="second")
    models: Models = ReadyModels(first, second)
    assert models.choose("second").names == ("second", "first")
    assert models.choose("gone").names == ("first", "second")
    assert models.get("second") is second
    with pytest.raises(ModelRefused):
        models.get("gone")
