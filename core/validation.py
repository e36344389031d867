"""What is wrong in a table that a person wrote, as one sentence with the right form. It never shows a value.

Settings and agent definitions are both tables (TOML, JSON) that pydantic checks; people meet the same wording for both.
"""

import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

KeyPath = tuple[str | int, ...]

LISTED_KEYS: Final = 12
KEY_LENGTH: Final = 60
KEY_ERROR_MARK: Final = "[key]"
WRONG_KEY: Final = "wrong_key"

FORMS: Final[Mapping[str, str]] = types.MappingProxyType(
    {
        "missing": "is missing",
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_parsing_size": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_type": "must be a number",
        "float_parsing": "must be a number",
        "finite_number": "must be a number",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "string_type": "must be text",
        "is_instance_of": "must be text",
        "string_too_short": "must not be empty",
        "string_pattern_mismatch": "is not of the right form",
        "path_type": "must be a path, as text",
        "list_type": "must be a list",
        "tuple_type": "must be a list",
        "dict_type": "must be a table",
        "mapping_type": "must be a table",
        "model_type": "must be a table",
        "model_attributes_type": "must be a table",
    }
)
BOUNDS: Final[Mapping[str, tuple[str, str]]] = types.MappingProxyType(
    {
        "greater_than_equal": ("must be at least", "ge"),
        "greater_than": ("must be more than", "gt"),
        "less_than_equal": ("must be at most", "le"),
        "less_than": ("must be less than", "lt"),
        "string_too_long": ("must not be longer than", "max_length"),
        "too_long": ("must not be longer than", "max_length"),
        "too_short": ("must not be shorter than", "min_length"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The first thing that is wrong. `example` is a right value for that key where one is known."""

    path: KeyPath
    text: str
    example: object = None

    @property
    def key(self) -> str:
        """The full key, with dots."""
        return dotted(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a path leads in a model: the table that holds its last key, and the field of that key if it has one."""

    table: type[BaseModel] | None = None
    field: FieldInfo | None = None


def printable(text: str, length: int = KEY_LENGTH) -> str:
    """The text on one line, without control characters, cut to `length`."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text[: length + 1])
    return line if len(line) <= length else f"{line[:length]}..."


def dotted(path: KeyPath) -> str:
    """A path as people write it: `channels.mail.allow_from[0]`."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        else:
            shown += f".{printable(part)}" if shown else printable(part)
    return shown


def first_problem(error: ValidationError, model: type[BaseModel], *, also: Collection[str] = ()) -> Problem:
    """The finding that a person should mend first: unknown keys before wrong values before missing keys.

    A misspelt key often makes a required one missing; the misspelling is then what to say. `also` are keys that are
    right at the top of this table though the model does not hold them.
    """
    details = min(error.errors(include_url=False, include_input=False), key=_urgency)
    path = tuple(part for part in details["loc"] if part != KEY_ERROR_MARK)
    if details["type"] == WRONG_KEY:
        return Problem(path=(*path, str(details.get("ctx", {}).get("key"))), text=details["msg"])
    place = _find(model, path)
    if details["type"] == "extra_forbidden":
        return Problem(path=path, text=_unknown(model, place, path, also))
    return Problem(path=path, text=_form(details), example=_example(place.field))


def wrong_key(key: str, text: str) -> PydanticCustomError:
    """For a validator of a whole table: the finding is about one key of it."""
    return PydanticCustomError(WRONG_KEY, "{text}", {"key": key, "text": text})


def nearest(word: str, known: Collection[str]) -> str | None:
    """The known word that was probably meant."""
    close = get_close_matches(word[:KEY_LENGTH], sorted(known), n=1, cutoff=0.6)
    return close[0] if close else None


def unknown(word: str, known: Collection[str]) -> str:
    """Says that a key is not one of the known ones, and which was probably meant."""
    if meant := nearest(word, known):
        return f"is not known here; did you mean {meant}?"
    names = sorted(known)
    more = ", ..." if len(names) > LISTED_KEYS else ""
    return f"is not known here; known are {', '.join(names[:LISTED_KEYS])}{more}" if names else "is not known here"


def _urgency(details: ErrorDetails) -> int:
    return {"extra_forbidden": 0, "missing": 2}.get(details["type"], 1)


def _unknown(model: type[BaseModel], place: _Place, path: KeyPath, also: Collection[str]) -> str:
    word = str(path[-1])
    here = {*(place.table.model_fields if place.table else ()), *(also if len(path) == 1 else ())}
    if nearest(word, here) is None:
        for elsewhere in _keys(model):
            if elsewhere[-1] == word:
                return f"is not known here; did you mean {dotted(elsewhere)}?"
    return unknown(word, here)


def _form(details: ErrorDetails) -> str:
    kind = details["type"]
    context = details.get("ctx", {})
    if kind in FORMS:
        return FORMS[kind]
    if kind in BOUNDS:
        words, name = BOUNDS[kind]
        return f"{words} {context.get(name)}"
    if kind in {"literal_error", "enum"}:
        expected = str(context.get("expected", "")).replace("'", '"')
        return f"must be {expected}"
    if kind == "value_error":
        return str(context.get("error", "is wrong"))
    message = details["msg"]
    return message[:1].lower() + message[1:]


def _example(field: FieldInfo | None) -> object:
    if field is None:
        return None
    if field.examples:
        return field.examples[0]
    return field.default if isinstance(field.default, bool | int | float | str) else None


def _find(model: type[BaseModel], path: KeyPath) -> _Place:
    place = _Place()
    annotation: object = model
    for part in path:
        table = _table(annotation)
        if table is None:
            annotation = _element(annotation)
            place = _Place(field=place.field)
            continue
        field = table.model_fields.get(str(part))
        place = _Place(table=table, field=field)
        annotation = field.annotation if field else None
    return place


def _keys(model: type[BaseModel], above: KeyPath = ()) -> Iterator[KeyPath]:
    for name, field in model.model_fields.items():
        yield (*above, name)
        table = _table(field.annotation)
        if table is not None:
            yield from _keys(table, (*above, name))


def _table(annotation: object) -> type[BaseModel] | None:
    plain = _bare(annotation)
    return plain if isinstance(plain, type) and issubclass(plain, BaseModel) else None


def _element(annotation: object) -> object:
    """What a mapping maps to, or a list holds."""
    arguments = get_args(_bare(annotation))
    if not arguments:
        return None
    return arguments[0] if get_origin(_bare(annotation)) in {tuple, list} else arguments[-1]


def _bare(annotation: object) -> object:
    """The annotation without `| None` and without what is annotated to it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _bare(get_args(annotation)[0])
    if origin in {Union, types.UnionType}:
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return _bare(kinds[0]) if kinds else None
    return annotation
