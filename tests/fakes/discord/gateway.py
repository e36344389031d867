"""The gateway: HELLO, IDENTIFY, heartbeats, RESUME with replay, and every way in which Discord ends a connection."""

import asyncio
import json
import uuid

from aiohttp import WSMsgType, web

from tests.fakes.discord.places import guild
from tests.fakes.discord.sessions import CONTENT, PRIVILEGED, Link, Session, without_words
from tests.fakes.discord.world import APP, BOT, GUILD, TOKEN, World
from tests.fakes.wire import Json, number_at, object_at, text_at

PATIENCE_S = 20.0
DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


class Gateway:
    """All connections. `heard` lists every frame of the app but its heartbeats; `acks` false leaves those unanswered.

    `closing` is the close code that the next IDENTIFY meets, 0 for none.
    """

    def __init__(self, world: World, *, interval_ms: int = 41_250, compressed: bool = False) -> None:
        self.world = world
        self.heard: list[Json] = []
        self.sessions: dict[str, Session] = {}
        self.acks = True
        self.closing = 0
        self._interval_ms = interval_ms
        self._compressed = compressed
        self._changed = asyncio.Condition()

    @property
    def live(self) -> list[Session]:
        """Sessions with a connection."""
        return [one for one in self.sessions.values() if one.link is not None]

    async def connected(self, count: int = 1) -> None:
        """Until so many sessions are connected."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: len(self.live) >= count)

    async def hears(self, op: int, count: int = 1) -> Json:
        """The latest frame with this op, once there are so many."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: sum(one["op"] == op for one in self.heard) >= count)
        return [one for one in self.heard if one["op"] == op][-1]

    async def tell(self, kind: str, data: Json, *, held: bool = False) -> None:
        """An event to every session that wants it; one without a connection gets it when it resumes."""
        for session in tuple(self.sessions.values()):
            if session.wants(kind, data):
                seen = data
                if kind in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and not session.intents & CONTENT:
                    seen = without_words(data, me=BOT)
                await session.dispatch(kind, seen, held=held)

    async def reconnect(self) -> None:
        """Op 7: the app should come back and resume."""
        for session in self.live:
            await _of(session).send({"op": RECONNECT, "d": None})

    async def invalidate(self, *, resumable: bool) -> None:
        """Op 9: take the session up again, or begin anew and miss what happened meanwhile."""
        for session in self.live:
            link = _of(session)
            if not resumable:
                self.sessions.pop(session.id)
            await link.send({"op": INVALID, "d": resumable})

    async def cut(self, code: int = 0, *, resumable: bool = True) -> None:
        """Ends every connection, with a close code or without a word."""
        for session in self.live:
            link = _of(session)
            session.link = None
            if not resumable:
                self.sessions.pop(session.id)
            if code:
                await link.socket.close(code=code)
            else:
                link.abort()

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection of the app."""
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        compressed = self._compressed and request.query.get("compress") == "zlib-stream"
        link = Link(request, socket, compressed=compressed)
        await link.send({"op": HELLO, "d": {"heartbeat_interval": self._interval_ms, "_trace": []}})
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._takes(link, message.data)
        finally:
            if link.session is not None and link.session.link is link:
                link.session.link = None
        return socket

    async def _takes(self, link: Link, text: str) -> None:
        try:
            frame: Json = json.loads(text)
        except ValueError:
            await link.socket.close(code=4002)
            return
        op = frame.get("op")
        if op == HEARTBEAT:
            if self.acks:
                await link.send({"op": ACK, "d": None})
            return
        if op == IDENTIFY:
            await self._identify(link, object_at(frame, "d"))
        elif op == RESUME:
            await self._resume(link, object_at(frame, "d"))
        elif link.session is None:
            await link.socket.close(code=4003)
        async with self._changed:
            self.heard.append(frame)
            self._changed.notify_all()

    async def _identify(self, link: Link, data: Json) -> None:
        intents = number_at(data, "intents")
        refused = self.closing or self._refusal(link, data, intents)
        self.closing = 0
        if refused:
            await link.socket.close(code=refused)
            return
        session = Session(id=uuid.uuid4().hex, intents=intents, link=link)
        link.session = session
        self.sessions[session.id] = session
        ready: Json = {"v": 10, "user": self.world.public(BOT), "guilds": [{"id": GUILD, "unavailable": True}]}
        resume = f"ws://{link.host}/gw-resume"
        ready |= {"session_id": session.id, "resume_gateway_url": resume, "private_channels": []}
        await session.dispatch("READY", ready | {"application": {"id": APP, "flags": 0}})
        await session.dispatch("GUILD_CREATE", guild(self.world))

    def _refusal(self, link: Link, data: Json, intents: int) -> int:
        if link.session is not None:
            return 4005
        if text_at(data, "token").removeprefix("Bot ") != TOKEN:
            return 4004
        asked = intents & (PRIVILEGED | (0 if self.world.content_intent else CONTENT))
        return 4014 if asked else 0

    async def _resume(self, link: Link, data: Json) -> None:
        session = self.sessions.get(text_at(data, "session_id"))
        seq = number_at(data, "seq")
        if text_at(data, "token").removeprefix("Bot ") != TOKEN:
            await link.socket.close(code=4004)
        elif session is None:
            # discord.py resumes without a session for ever, and only this stops it.
            await link.send({"op": INVALID, "d": False})
        elif seq > len(session.frames):
            await link.socket.close(code=4007)
        else:
            link.session, session.link = session, link
            for frame in session.frames[seq:]:
                await link.send(frame)
            await session.dispatch("RESUMED", {"_trace": []})


def _of(session: Session) -> Link:
    assert session.link is not None
    return session.link
