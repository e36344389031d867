"""Invitations as words: what, when, where, from whom. Nothing is accepted or declined by reading one."""

import re
from collections.abc import Iterator

from channels.email.headers import one_line

MOST_EVENTS = 5
MOST_LINES = 2_000
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{0,2}(Z?))?")
_METHODS = {"REQUEST": "Invitation", "CANCEL": "Cancelled", "REPLY": "Answer to an invitation", "PUBLISH": "Event"}


def words(calendar: str) -> str:
    """A few lines for each event; empty where there is none."""
    lines = re.sub(r"\r?\n[ \t]", "", calendar).splitlines()[:MOST_LINES]
    fields = list(_fields(lines))
    method = next((value.upper() for name, _, value in fields if name == "METHOD"), "PUBLISH")
    events: list[dict[str, tuple[str, str]]] = []
    inside = False
    for name, told, value in fields:
        if (name, value.upper()) == ("BEGIN", "VEVENT") and len(events) < MOST_EVENTS:
            events.append({})
            inside = True
        elif (name, value.upper()) == ("END", "VEVENT"):
            inside = False
        elif inside:
            events[-1].setdefault(name, (told, value))
    title = _METHODS.get(method, "Event")
    return "\n\n".join(_event(title, event) for event in events)


def _fields(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        head, colon, value = line.partition(":")
        if colon:
            name, _, told = head.partition(";")
            yield name.strip().upper(), told, _unescaped(value)


def _unescaped(value: str) -> str:
    return one_line(re.sub(r"\\([\\;,])", r"\1", re.sub(r"\\[nN]", " ", value)))


def _event(title: str, event: dict[str, tuple[str, str]]) -> str:
    rows = [f"[{title}: {event.get('SUMMARY', ('', 'no title'))[1]}]"]
    start, end = (_moment(*event[name]) if name in event else "" for name in ("DTSTART", "DTEND"))
    if start:
        rows.append(f"When: {start}" + (f" to {end}" if end else ""))
    rows += [
        f"{label}: {event[name][1]}" for label, name in (("Where", "LOCATION"), ("Repeats", "RRULE")) if name in event
    ]
    if "ORGANIZER" in event:
        rows.append("Organiser: " + re.sub(r"^mailto:", "", event["ORGANIZER"][1], flags=re.IGNORECASE))
    if "DESCRIPTION" in event:
        rows.append(event["DESCRIPTION"][1][:2_000])
    return "\n".join(rows)


def _moment(told: str, value: str) -> str:
    found = _MOMENT.match(value)
    if found is None:
        return value
    day = f"{found[1]}-{found[2]}-{found[3]}"
    zone = next((one[5:].strip('"') for one in told.split(";") if one.upper().startswith("TZID=")), "")
    return f"{day} {found[4]}:{found[5]} {'UTC' if found[6] else zone}".rstrip() if found[4] else day
