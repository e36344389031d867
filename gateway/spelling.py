"""Keys as people write them: `allowFrom` is `allow_from`. Only keys that a model knows; names and ids stay."""

import re
from collections.abc import Mapping
from typing import Annotated, get_args, get_origin

from pydantic import BaseModel

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Twice(Exception):
    """One key is given in both spellings."""

    def __init__(self, path: tuple[str, ...], other: str) -> None:
        super().__init__(path, other)
        self.path = path
        self.other = other


def snake(key: str) -> str:
    """The key in small letters with underscores; one in capitals stays as it is."""
    return key if key.isupper() else _HUMP.sub("_", key).lower() if _HUMP.search(key) else key


def spelt(table: Mapping[str, object], *models: type[BaseModel]) -> Mapping[str, object]:
    """The table with its keys as these models have them, all tables below them too. Raises Twice."""
    fields = {name: field for model in models for name, field in model.model_fields.items()}
    found: dict[str, object] = {}
    for key, value in table.items():
        name = key if key in fields or snake(key) not in fields else snake(key)
        if name in found:
            raise Twice((name,), key)
        try:
            found[name] = _below(value, fields[name].annotation) if name in fields else value
        except Twice as twice:
            raise Twice((name, *twice.path), twice.other) from None
    return found


def _below(value: object, annotation: object) -> object:
    if get_origin(annotation) is Annotated:
        return _below(value, get_args(annotation)[0])
    if not isinstance(value, Mapping):
        return value
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return spelt(value, annotation)
    inner = get_args(annotation)[-1:]
    if inner and isinstance(inner[0], type) and issubclass(inner[0], BaseModel):
        return {name: _named(name, one, inner[0]) for name, one in value.items()}
    return value


def _named(name: str, value: object, model: type[BaseModel]) -> object:
    try:
        return spelt(value, model) if isinstance(value, Mapping) else value
    except Twice as twice:
        raise Twice((name, *twice.path), twice.other) from None
