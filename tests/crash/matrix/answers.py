"""What the model answers: it follows from what was said and from the results that its calls have so far."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

TEXT = 400
CHOICES = ("red", "green", "blue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Text, or calls as (name, arguments). `after` names what the platform waits for before it gives it."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    after: str = ""
    error: str = ""


def answer(said: str, results: Sequence[str]) -> Answer:
    """`said` is the name of an event and what it wants: "e5 count"."""
    event, _, wish = said.partition(" ")
    if not results and wish in _CALLS:
        return Answer(calls=tuple((name, _arguments(name, event, wish, n)) for n, name in enumerate(_CALLS[wish])))
    if wish == "bad":
        return Answer(error="refused")
    return Answer(text=said_in(event, wish, results), after=_AFTER.get(wish, ""))


def said_in(event: str, wish: str, results: Sequence[str]) -> str:
    """The words of the last answer."""
    begun = f"re {event}: {wish}"
    if wish == "long":
        return "".join(f"{begun} {part} of 3".ljust(TEXT, ".") for part in (1, 2, 3))
    return " / ".join([begun, *results])


_AFTER = {
    "hold": "a stop",
    "slow": "claims.renew",
    "late": "late",
    "patient": "go",
    "shown": "progress",
}

_CALLS = {
    "look": ("look",),
    "count": ("count",),
    "press": ("press",),
    "both": ("look", "count"),
    "ask": ("ask_user",),
    "asks": ("ask_user", "ask_user"),
    "wait": ("ask_user", "wait"),
    "short": ("ask_user",),
    "family": ("hand", "hand"),
    "clerk": ("count",),
    "asker": ("ask_user",),
    "tell": ("tell", "tell"),
    "pay": ("pay",),
    "rent": ("pay",),
}
# Who works on each of the calls that a family hands over.
_FAMILY = ("clerk", "asker")


def question(event: str, place: int = 0) -> str:
    """How the question of a message reads: the one that its call in this place asks."""
    return f"{event}.{place}?"


def _arguments(name: str, event: str, wish: str, place: int) -> str:
    if name == "hand":
        return json.dumps({"agent": _FAMILY[place], "task": f"{event} {_FAMILY[place]}"})
    if name != "ask_user":
        return json.dumps({"what": wish if wish == "rent" else event})
    asked = {"question": question(event, place), "choices": CHOICES}
    return json.dumps(asked | {"deadline": 10, "default": "red"} if wish == "short" else asked)
