"""From a line that was typed to what it means."""

import re
from collections.abc import Mapping, Sequence

from channels.contract import Seen
from core.domain.chat import ChatKey, Principal
from core.domain.message import Dropped, Inbound

CHANNEL = "terminal"

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def chat_of(user: str, session: str) -> ChatKey:
    """The conversation of one session of one user of this machine."""
    return ChatKey(channel=CHANNEL, account=user, chat_id=session)


def read(line: str, *, session: str, user: str, at: int, key: str, limit: int) -> Inbound | Dropped:
    """What a person said; Dropped as noise when nothing stands in it, as too long past `limit` characters.

    NUL and half surrogate pairs, which no store can hold, become U+FFFD; the newlines of other systems become ours.
    """
    chat = chat_of(user, session)
    if len(line) > limit:
        return Dropped(reason="too_long", event_key=key, chat=chat, at=at)
    content = _UNSTORABLE.sub("\ufffd", line.replace("\r\n", "\n").replace("\r", "\n"))
    if not content.strip():
        return Dropped(reason="noise", event_key=key, chat=chat, at=at)
    sender = Principal(channel=CHANNEL, account=user, user_id=user, name=user)
    return Inbound(event_key=key, chat=chat, sender=sender, content=content.rstrip("\n"), at=at)


def read_lines(raw: bytes, me: Mapping[str, object] | None, *, bots: bool) -> Sequence[Seen]:
    """Every line of a file as if somebody had typed it; `me` may name the `user` and the `session`."""
    told = me or {}
    user, session = str(told.get("user", "user")), str(told.get("session", "default"))
    lines = raw.decode(errors="replace").splitlines()
    return [
        Seen(event=read(line, session=session, user=user, at=0, key=f"line.{number}", limit=len(line) + 1))
        for number, line in enumerate(lines, 1)
    ]
