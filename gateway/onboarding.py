"""Setting up a channel: what is still to be asked, and the settings file with the answers in it."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from channels.contract import AnySpec, Question
from gateway.sections import ChannelCommon
from gateway.settings import ChannelSettings as ChannelSettings
from gateway.settings import Settings
from gateway.settings_edit import with_keys

OWNERS: Final = Question(
    key="owners",
    text="Your own id there, so that you may do everything; empty: only the command line may",
    optional=True,
)

TRUTH: Final[Mapping[str, str]] = MappingProxyType(
    {"true": "true", "yes": "true", "y": "true", "false": "false", "no": "false", "n": "false"}
)


def header(name: str) -> str:
    """The section of a channel."""
    return f"channels.{name}"


def unanswered(settings: Settings, spec: AnySpec) -> Sequence[Question]:
    """What the settings do not say yet, what cannot be done without first."""
    channels = settings.source.table.get("channels")
    section = channels.get(spec.name) if isinstance(channels, Mapping) else None
    known = {*section} if isinstance(section, Mapping) else set()
    own = settings.channels.get(spec.name)
    if own and own.own:
        known |= own.own.model_fields_set
    if own and own.common.owners:
        known.add(OWNERS.key)
    return sorted((one for one in (*spec.asks, OWNERS) if one.key not in known), key=lambda one: one.optional)


def with_answers(text: str, spec: AnySpec, answers: Mapping[str, str]) -> str:
    """The settings file with these answers, each below the question. Raises SettingsError."""
    asked = {one.key: one for one in (*spec.asks, OWNERS)}
    lines = {}
    for key, answer in answers.items():
        comment = f"# {asked[key].text}\n" if key in asked else ""
        lines[key] = f"{comment}{key} = {_toml(spec.settings, key, answer)}"
    return with_keys(text, header(spec.name), lines) if lines or f"[{header(spec.name)}]" not in text else text


def _toml(model: type[BaseModel], key: str, answer: str) -> str:
    kinds, answer = _kinds(model, key), answer.strip()
    if "boolean" in kinds and answer.lower() in TRUTH:
        return TRUTH[answer.lower()]
    if "array" in kinds:
        return json.dumps([one.strip() for one in answer.split(",") if one.strip()], ensure_ascii=False)
    number = "string" not in kinds and bool(kinds & {"integer", "number"}) and answer.isdigit()
    return answer if number else json.dumps(answer, ensure_ascii=False)


def _kinds(model: type[BaseModel], key: str) -> set[str]:
    """The kinds of value that a key takes, as JSON schema names them."""
    shared = ChannelCommon if key in ChannelCommon.model_fields else model
    properties = shared.model_json_schema().get("properties", {})
    found = properties.get(key, {}) if isinstance(properties, dict) else {}
    options = found.get("anyOf", [found]) if isinstance(found, dict) else []
    return {str(one.get("type")) for one in options if isinstance(one, dict)}
