"""`parley read`: a file with updates in any of the forms in which people keep them. Pure, and never an error."""

import json
from collections.abc import Mapping, Sequence

from channels.contract import Seen
from channels.telegram.inbound import Read, Surroundings, joined, read
from channels.telegram.people import me_of
from channels.telegram.raw import Raw


def read_updates(raw: bytes, me: Raw | None, *, bots: bool) -> Sequence[Seen]:
    """One update, a list, what getUpdates answers, or one update a line; the pieces of an album are one event."""
    around = Surroundings(me=me_of(me), bots=bots)
    events: list[Read] = []
    albums: dict[str, list[Read]] = {}
    for update in _updates(raw):
        found = read(update, around)
        if found.album:
            pieces = albums.setdefault(found.album, [])
            pieces.append(found)
            if len(pieces) > 1:
                continue
        events.append(found)
    whole = [joined(albums[one.album]) if one.album else one for one in events]
    return [Seen(event=one.event) for one in whole]


def _updates(raw: bytes) -> Sequence[object]:
    text = raw.decode("utf-8-sig", "replace")
    try:
        return _listed(json.loads(text))
    except (ValueError, RecursionError):
        return [one for line in text.splitlines() if line.strip() for one in _line(line)] or [None]


def _line(line: str) -> Sequence[object]:
    try:
        return _listed(json.loads(line))
    except (ValueError, RecursionError):
        return [None]


def _listed(value: object) -> Sequence[object]:
    if isinstance(value, Mapping) and isinstance(value.get("result"), list):
        value = value["result"]
    return value if isinstance(value, list) else [value]
