"""A gateway session: its events are numbered and kept, so that a connection that was lost can be taken up again."""

import asyncio
import json
import zlib
from dataclasses import dataclass, field

from aiohttp import web

from tests.fakes.wire import Json, text_at

GUILDS, GUILD_MESSAGES, GUILD_REACTIONS, DM_MESSAGES, DM_REACTIONS, CONTENT = (
    1,
    1 << 9,
    1 << 10,
    1 << 12,
    1 << 13,
    1 << 15,
)
PRIVILEGED = (1 << 1) | (1 << 8)


class Link:
    """One connection; `compressed` sends a zlib stream as Discord does."""

    def __init__(self, request: web.Request, socket: web.WebSocketResponse, *, compressed: bool) -> None:
        self.socket = socket
        self.host = request.host
        self._transport = request.transport
        self.session: Session | None = None
        self._zlib = zlib.compressobj() if compressed else None
        self._turn = asyncio.Lock()

    async def send(self, frame: Json) -> None:
        """One frame; nothing when the other side has gone."""
        async with self._turn:
            if self.socket.closed:
                return
            text = json.dumps(frame)
            try:
                if self._zlib is None:
                    await self.socket.send_str(text)
                else:
                    data = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                    await self.socket.send_bytes(data)
            except ConnectionError:
                return

    def abort(self) -> None:
        """The connection is gone, without a word."""
        if self._transport is not None:
            self._transport.abort()


@dataclass(eq=False, slots=True)
class Session:
    """From IDENTIFY until it is given up. `intents` decide what it hears."""

    id: str
    intents: int
    link: Link | None = None
    frames: list[Json] = field(default_factory=list)

    async def dispatch(self, kind: str, data: Json, *, held: bool = False) -> None:
        """Numbered and kept; sent too, unless it is `held` back for a RESUME."""
        frame: Json = {"op": 0, "t": kind, "s": len(self.frames) + 1, "d": data}
        self.frames.append(frame)
        if self.link is not None and not held:
            await self.link.send(frame)

    def wants(self, kind: str, data: Json) -> bool:
        """Whether its intents cover the event."""
        direct = "guild_id" not in data
        if kind.startswith("MESSAGE_REACTION"):
            return bool(self.intents & (DM_REACTIONS if direct else GUILD_REACTIONS))
        if kind.startswith("MESSAGE"):
            return bool(self.intents & (DM_MESSAGES if direct else GUILD_MESSAGES))
        if kind == "INTERACTION_CREATE":
            return True
        return bool(self.intents & GUILDS)


def without_words(data: Json, *, me: str) -> Json:
    """A guild's message for a session that did not ask for content."""
    mentions = data.get("mentions")
    named = isinstance(mentions, list) and any(text_at(one, "id") == me for one in mentions)
    if "guild_id" not in data or named or text_at(data, "author", "id") == me or "content" not in data:
        return data
    return data | {"content": "", "attachments": [], "embeds": [], "components": []}
