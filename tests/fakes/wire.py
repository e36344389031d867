"""JSON as it comes over a wire: what stands at a path, with the type that the reader expects of it."""

from collections.abc import Mapping, Sequence

Json = dict[str, object]


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
    """A string, or a number as one; "" where there is neither."""
    found = at(value, *path)
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""


def number_at(value: object, *path: str | int, default: int = 0) -> int:
    """A whole number, which forms write as text."""
    found = text_at(value, *path)
    return int(found) if found.lstrip("-").isdigit() else default


def flag_at(value: object, *path: str | int) -> bool:
    """Whether it is true, in JSON or in a form."""
    return at(value, *path) in (True, "true", "1", 1)


def object_at(value: object, *path: str | int) -> Json:
    """An object; an empty one where there is none."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def objects_at(value: object, *path: str | int) -> list[Json]:
    """The objects of a list."""
    found = at(value, *path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
