"""Raw events in a file, as `parley read` takes them: dispatches, interactions, or several of either."""

import json
from collections.abc import Iterator, Mapping, Sequence

from channels.contract import Seen
from channels.discord.fields import Json, inner, text, texts
from channels.discord.inbound import read
from channels.discord.known import Author, Known
from channels.discord.where import Manner, dropped
from core.domain.message import Inbound

TEACHES = frozenset(
    {"READY", "GUILD_CREATE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE"}
    | {"CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_LIST_SYNC"}
)


def read_file(raw: bytes, me: Mapping[str, object] | None, *, bots: bool) -> Sequence[Seen]:
    """Each event by itself, but what one teaches of threads and names the next ones know.

    `me` holds `id`, `username` and `managed_role_id` of the bot.
    """
    told = me or {}
    known = Known(me=text(told, "id"), name=text(told, "username") or "", role=text(told, "managed_role_id"))
    config = inner(told, "config")
    manner = Manner(
        account=known.me or "unknown",
        bots=bots,
        auto_thread=config.get("auto_thread") is True,
        forum_posts=config.get("answer_new_forum_posts") is True,
    )
    return [one for value in _values(raw) for one in _seen(value, known, manner)]


def _seen(value: object, known: Known, manner: Manner) -> Iterator[Seen]:
    if not isinstance(value, Mapping):
        yield Seen(event=dropped("unreadable", {}, manner))
        return
    event, told = frame_of(value)
    if event in TEACHES:
        known.learn(event, told)
    if event == "MESSAGE_DELETE_BULK":
        events = [read("MESSAGE_DELETE", {**told, "id": one}, known, manner) for one in texts(told, "ids")]
    else:
        events = [read(event, told, known, manner)]
    for found in events:
        if isinstance(found, Inbound) and found.message_id:
            known.said(found.message_id, Author(chat=found.chat, sender=found.sender))
        yield Seen(event=found)


def frame_of(value: Json) -> tuple[str, Json]:
    """The name of a dispatch and its data; an interaction or a message may stand there without its frame."""
    frame = value["payload"] if isinstance(value.get("payload"), Mapping) else value
    if not isinstance(frame, Mapping):
        return "", {}
    if "t" in frame or "op" in frame:
        return text(frame, "t") or "", inner(frame, "d")
    if "token" in frame or "application_id" in frame:
        return "INTERACTION_CREATE", frame
    return ("MESSAGE_CREATE" if "author" in frame else ""), frame


def _values(raw: bytes) -> list[object]:
    """One JSON document, a list of them, or one on each line; what is none comes out as None."""
    content = raw.decode("utf-8", errors="replace").removeprefix("\ufeff")
    whole = _parsed(content)
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        return list(whole["events"])
    if whole is not None:
        return [whole]
    return [_parsed(line) for line in content.splitlines() if line.strip()] or [None]


def _parsed(content: str) -> object | None:
    try:
        parsed: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed
