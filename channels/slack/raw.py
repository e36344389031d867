"""What stands in a raw JSON value, with the type that the reader expects of it: anything may have come in."""

from collections.abc import Mapping, Sequence

Json = Mapping[str, object]


def at(value: object, *path: str | int) -> object:
    """What stands there, None where nothing does."""
    for key in path:
        if isinstance(key, str) and isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(key, int) and isinstance(value, Sequence) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def text_at(value: object, *path: str | int) -> str:
    """A string; "" where there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def number_at(value: object, *path: str | int) -> int:
    """A whole number; 0 where there is none."""
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def object_at(value: object, *path: str | int) -> Json:
    """An object; an empty one where there is none."""
    found = at(value, *path)
    return found if isinstance(found, Mapping) else {}


def objects_at(value: object, *path: str | int) -> list[Json]:
    """The objects of a list."""
    found = at(value, *path)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []
