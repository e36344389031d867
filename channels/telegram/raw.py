"""JSON as the Bot API sends it: what stands at a path if it has the type expected there, and nothing otherwise."""

from collections.abc import Mapping, Sequence
from typing import cast

Raw = Mapping[str, object]
NOTHING: Raw = {}


def object_at(value: Raw, *path: str) -> Raw:
    """An object; an empty one where there is none."""
    found: object = value
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return cast(Raw, found) if isinstance(found, Mapping) else NOTHING


def objects_at(value: Raw, key: str) -> Sequence[Raw]:
    """The objects of a list."""
    found = value.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def text_at(value: Raw, key: str) -> str:
    """A string; "" where there is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def number_at(value: Raw, key: str) -> int | None:
    """A whole number, which `true` is not."""
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def id_at(value: Raw, key: str) -> str:
    """A number as the id that it is; "" where there is none."""
    found = number_at(value, key)
    return "" if found is None else str(found)


def flag_at(value: Raw, key: str) -> bool:
    """Whether it is true."""
    return value.get(key) is True
