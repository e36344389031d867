"""Updates as Telegram sends them, made by hand: every field that is not given is left out."""

from channels.telegram.inbound import Read, Surroundings, read
from channels.telegram.people import Me
from core.domain.message import Dropped, Inbound

Json = dict[str, object]

ME = Me(id="700", username="helper_bot")
BOT: Json = {"id": 700, "is_bot": True, "first_name": "Helper", "username": "helper_bot"}
ANNA: Json = {"id": 11, "is_bot": False, "first_name": "Anna", "last_name": "K", "username": "anna_k"}
BEN: Json = {"id": 12, "is_bot": False, "first_name": "Ben"}
ANONYMOUS: Json = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
PRIVATE: Json = {"id": 11, "type": "private", "first_name": "Anna"}
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Workshop"}
FORUM: Json = {"id": -1002, "type": "supergroup", "title": "Forum", "is_forum": True}
NEWS: Json = {"id": -1003, "type": "channel", "title": "News"}


def message(text: object = "", **fields: object) -> Json:
    """Of 1 January 2026; `by`, `chat` and `number` say who, where and which."""
    body: Json = {"message_id": fields.pop("number", 5), "from": fields.pop("by", ANNA)}
    body |= {"chat": fields.pop("chat", PRIVATE), "date": 1_767_225_600}
    return body | ({"text": text} if text else {}) | fields


def update(body: Json, kind: str = "message", number: int = 1) -> Json:
    """One of them."""
    return {"update_id": number, kind: body}


def entity(text: str, kind: str, of: str, **more: object) -> list[Json]:
    """Where `of` stands in the text, in UTF-16 units."""
    before = text[: text.index(of)]
    return [{"type": kind, "offset": _units(before), "length": _units(of), **more}]


def photo(name: str, **more: object) -> Json:
    """A photo in two sizes."""
    sizes = [{"file_id": f"{name}-s", "width": 90, "height": 60, "file_size": 900}]
    return {"photo": [*sizes, {"file_id": name, "width": 1280, "height": 960, "file_size": 80_000}], **more}


AROUND = Surroundings(me=ME)


def took(given: object, around: Surroundings = AROUND) -> Read:
    """What it means."""
    return read(given, around)


def said(given: object, around: Surroundings = AROUND) -> Inbound:
    """It is an event."""
    event = took(given, around).event
    assert isinstance(event, Inbound), event
    return event


def dropped(given: object, around: Surroundings = AROUND) -> str:
    """Why it is none."""
    event = took(given, around).event
    assert isinstance(event, Dropped), event
    return event.reason


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
