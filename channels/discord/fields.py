"""What stands in raw JSON, with the type that it should have: nobody promises that it has it."""

from collections.abc import Mapping
from datetime import datetime

# The first millisecond of 2015, from which the ids of Discord count.
EPOCH_MS = 1_420_070_400_000

Json = Mapping[str, object]


def text(told: Json, key: str) -> str | None:
    """A string that is not empty; an id may come as a number."""
    found = told.get(key)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) and found else None


def number_text(told: Json, key: str) -> str | None:
    """An id that ids are compared with."""
    found = text(told, key)
    return found if found is not None and found.isascii() and found.isdigit() and len(found) <= 20 else None


def number(told: Json, key: str) -> int:
    """A whole number, 0 where there is none."""
    found = told.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def inner(told: Json, *keys: str) -> Json:
    """An object, however deep; an empty one where there is none."""
    found: object = told
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def objects(told: Json, key: str) -> list[Json]:
    """The objects of a list."""
    found = told.get(key)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def texts(told: Json, key: str) -> list[str]:
    """The strings of a list."""
    found = told.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def made_at(snowflake: str) -> int:
    """When an id was made, in milliseconds UTC; 0 for what is none."""
    if not (snowflake.isascii() and snowflake.isdigit()) or len(snowflake) > 20:
        return 0
    return (int(snowflake) >> 22) + EPOCH_MS


def snowflake_at(ms: int) -> str:
    """The smallest id of a time."""
    return str(max(0, ms - EPOCH_MS) << 22)


def moment(value: str | None) -> int:
    """A time as Discord writes it, in milliseconds UTC; 0 for what is none."""
    try:
        return round(datetime.fromisoformat(value or "").timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0
