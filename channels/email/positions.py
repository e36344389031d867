"""How far a folder is read. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

DAY_MS = 86_400_000
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Up to `uid` everything is read, while the folder has this `validity`.

    `began` is when the folder was first looked at: what the server got before that is never answered, but for mail that
    nobody had read then, up to the uid `unread`, where that was asked for.
    """

    validity: int
    uid: int
    began: int
    unread: int = 0

    def at(self, uid: int) -> "Position":
        """Read up to there."""
        return replace(self, uid=uid)

    def criteria(self) -> str:
        """The search for what is not read yet; `n:*` always finds the last mail, whatever its uid."""
        return f"UID {self.uid + 1}:*"


def is_void(position: Position, validity: int, following: int) -> bool:
    """Whether the folder was made anew since: its uids mean other mails now, or their numbers fell back."""
    return position.validity != validity or bool(following and following <= position.uid)


def anew(position: Position, validity: int) -> Position:
    """From the start of a folder that was made anew; what is known by its Message-ID is not taken twice."""
    return Position(validity=validity, uid=0, began=position.began)


def since(position: Position) -> str:
    """The search in a folder that was made anew: a day earlier, since servers have their own clocks and zones."""
    moment = datetime.fromtimestamp(position.began / 1000, UTC) - timedelta(days=1)
    return f"SINCE {moment.day}-{MONTHS[moment.month - 1]}-{moment.year}"


def dumped(position: Position) -> str:
    """As JSON."""
    told = {"validity": position.validity, "uid": position.uid, "began": position.began, "unread": position.unread}
    return json.dumps(told, separators=(",", ":"))


def loaded(value: str | None) -> Position | None:
    """None for nothing, and for what no version of this wrote."""
    try:
        told = json.loads(value or "null")
    except ValueError:
        return None
    names = ("validity", "uid", "began", "unread")
    if not isinstance(told, Mapping) or not all(type(told.get(name)) is int for name in names):
        return None
    return Position(validity=told["validity"], uid=told["uid"], began=told["began"], unread=told["unread"])
