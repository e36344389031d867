"""Settings as rows, as TOML, as JSON and as a schema; secrets never leave in any of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from core.domain.secret import MASK, Secret
from core.validation import KeyPath, dotted
from gateway.redaction import Redactor
from gateway.sections import TOOLS, ChannelCommon, Sections, ToolSettings
from gateway.settings import SHIPPED, ChannelModels, ChannelSettings, Settings
from gateway.settings_file import names_secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One key with the value in force; `origin` is a line of the file, a variable, or the default."""

    path: KeyPath
    value: object
    origin: str

    @property
    def key(self) -> str:
        """The full key."""
        return dotted(self.path)


def rows(settings: Settings) -> Sequence[Row]:
    """Every key in the order in which TOML wants them: those of a table before the tables below it."""
    sections: Mapping[str, object] = {
        "model": settings.model,
        "agent": settings.agent,
        "models": settings.models,
        "channels": {name: _channel(channel) for name, channel in settings.channels.items()},
        "limits": settings.limits,
        "texts": settings.texts,
        "store": settings.store,
        "logs": settings.logs,
        "tools": settings.tools,
    }
    redactor = Redactor(settings.secrets)
    found = [
        Row(path=path, value=_masked(path, value, redactor), origin=settings.source.origin(path))
        for path, value in _flat(sections, ())
        if value is not None
    ]
    return sorted(found, key=lambda row: len(row.path) > 1)


def as_toml(found: Sequence[Row]) -> str:
    """The rows as a settings file, each with its origin."""
    lines: list[str] = []
    table: KeyPath = ()
    for row in found:
        if row.path[:-1] != table:
            table = row.path[:-1]
            lines += ["", f"[{'.'.join(_key(str(part)) for part in table)}]"]
        lines.append(f"{_key(str(row.path[-1]))} = {_toml(row.value)}  # {row.origin}")
    return "\n".join(lines)


def as_json(found: Sequence[Row]) -> dict[str, object]:
    """The rows as the nested tables that they came from."""
    root: dict[str, object] = {}
    for row in found:
        table = root
        for part in row.path[:-1]:
            inner = table.setdefault(str(part), {})
            assert isinstance(inner, dict)
            table = inner
        table[str(row.path[-1])] = row.value
    return root


def schema(channels: ChannelModels = SHIPPED) -> dict[str, object]:
    """The JSON schema of the whole file, the channels' and tools' own tables included."""
    whole: dict[str, object] = dict(Sections.model_json_schema())
    properties = whole["properties"]
    assert isinstance(properties, dict)
    common = ChannelCommon.model_json_schema()
    own = {name: load().model_json_schema() for name, load in channels.items()}
    properties["channels"] = _tables({name: _joined(common, table) for name, table in own.items()})
    tools = {name: model.model_json_schema() for name, model in TOOLS.items()}
    properties["tools"] = {**_tables(tools), "additionalProperties": ToolSettings.model_json_schema()}
    return whole


def _tables(tables: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": dict(tables), "additionalProperties": False}


def _joined(common: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """A channel's table: its own keys beside those of every channel."""
    keys = {**_properties(common), **_properties(own)}
    keys["accounts"] = {"type": "object", "additionalProperties": {"type": "object", "properties": dict(keys)}}
    return {**own, "properties": keys}


def _properties(table: Mapping[str, object]) -> Mapping[str, object]:
    properties = table.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _channel(channel: ChannelSettings) -> Mapping[str, object]:
    below = {"accounts": {name: _channel(one) for name, one in channel.accounts.items()}} if channel.accounts else {}
    return {**dict(channel.common), **(dict(channel.own) if channel.own else {}), **below}


def _flat(value: object, path: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    match value:
        case BaseModel():
            yield from _flat(dict(value), path)
        case Mapping():
            # A table's own keys come before the tables below it, or TOML would count them to the last of these.
            for name, inner in sorted(value.items(), key=lambda item: isinstance(item[1], Mapping | BaseModel)):
                yield from _flat(inner, (*path, str(name)))
        case _:
            yield path, value


def _masked(path: KeyPath, value: object, redactor: Redactor) -> object:
    match value:
        case str():
            return MASK if names_secret(str(path[-1])) else redactor.text(value)
        case bool() | int() | float():
            return value
        case Secret():
            return MASK
        case Path():
            return str(value)
        case list() | tuple() | set() | frozenset():
            return [_masked(path, item, redactor) for item in value]
        case _:
            return redactor.text(str(value))


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)


def _toml(value: object) -> str:
    """JSON is TOML for all that stands here."""
    return json.dumps(value, ensure_ascii=True)
