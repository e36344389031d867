"""Files of raw events, for `parley read`: Events API bodies, Socket Mode envelopes, forms; one, a list, or lines."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import parse_qs

from channels.contract import Seen
from channels.slack.inbound import CHANNEL, Frame, Manner, Me, me_in, read
from channels.slack.raw import Json, object_at, text_at
from core.domain.chat import ChatKey
from core.domain.message import Dropped


def read_file(raw: bytes, me: Mapping[str, object] | None, *, bots: bool) -> Sequence[Seen]:
    """What each event means. `me` has `bot_user_id`, `bot_id`, `app_id` and `team_id`."""
    told = me_of(me) if me else None
    return [_seen(one, told, bots=bots) for one in _bodies(raw.decode("utf-8", "replace"))]


def me_of(told: Mapping[str, object]) -> Me | None:
    """Who we are, by the platform's keys; None without a user id."""
    user = text_at(told, "bot_user_id") or text_at(told, "user_id")
    if not user:
        return None
    rest = {key: text_at(told, key) for key in ("team_id", "bot_id", "app_id")}
    return Me(user_id=user, **rest)


def body_of_form(text: str) -> Json:
    """A form as Slack posts it: a slash command, or an interaction with its JSON in `payload`."""
    fields = {key: values[0] for key, values in parse_qs(text, keep_blank_values=True).items()}
    if "payload" not in fields:
        return fields
    try:
        found = json.loads(fields["payload"])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _seen(body: object, told: Me | None, *, bots: bool) -> Seen:
    payload = object_at(body, "payload") or body
    if not isinstance(payload, Mapping) or not payload:
        key = hashlib.sha256(repr(body).encode()).hexdigest()[:32]
        chat = ChatKey(channel=CHANNEL, account=told.team_id if told else "", chat_id="unknown")
        return Seen(event=Dropped(reason="malformed", event_key=key, chat=chat, at=0))
    frame = Frame(body=payload, me=told or me_in(payload), manner=Manner(bots=bots))
    return Seen(event=read(frame))


def _bodies(text: str) -> Iterator[object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(text)
        return
    yield from found if isinstance(found, list) else [found]


def _lines(text: str) -> Iterator[object]:
    for line in text.splitlines() or [""]:
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            if "=" in line:
                yield body_of_form(line)
            elif line.strip() or not text.strip():
                yield line
