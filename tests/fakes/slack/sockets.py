"""Socket Mode: tickets for one connection each, envelopes to one of the open sockets, and again until acknowledged.

An event is offered four times at most, as Slack does it: at once, then after each of `waits`, with `retry_attempt`.
Commands and interactions are offered once. What was offered to no socket waits for one, until `forget()`.
"""

import asyncio
import contextlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.fakes.slack.events import Delivery
from tests.fakes.slack.world import APP
from tests.fakes.wire import Json, text_at

PATIENCE_S = 20.0


@dataclass(eq=False, slots=True)
class Pending:
    """One thing on its way; `attempt` counts the offers that failed."""

    delivery: Delivery
    attempt: int = 0
    due: float = 0.0
    answer: Json | None = None
    settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def acked(self) -> bool:
        """Whether the app said that it has it."""
        return self.answer is not None

    async def acknowledged(self) -> Json:
        """The acknowledgement. Raises TimeoutError, or ConnectionError when it was given up."""
        async with asyncio.timeout(PATIENCE_S):
            await self.settled.wait()
        if self.answer is None:
            raise ConnectionError("not acknowledged, however often it was offered")
        return self.answer


class Sockets:
    """All connections of the app. `offers` is every envelope that went out, `acknowledged` how many came back."""

    def __init__(self, waits: Sequence[float] = (0.0, 1.0, 2.0), *, ack_within: float = 3.0) -> None:
        self.offers: list[Json] = []
        self.acknowledged = 0
        self.pendings: list[Pending] = []
        self.moments: Callable[[str, str], bool] = lambda method, moment: False
        self.open: list[web.WebSocketResponse] = []
        self._tickets: set[str] = set()
        self._waiting: list[Pending] = []
        self._changed = asyncio.Condition()
        self._waits = tuple(waits)
        self._ack_within = ack_within

    def ticket(self) -> str:
        """What apps.connections.open hands out: good for one connection."""
        ticket = uuid.uuid4().hex
        self._tickets.add(ticket)
        return ticket

    async def offer(self, delivery: Delivery) -> Pending:
        """Puts it into the queue; one of the sockets takes it."""
        pending = Pending(delivery)
        self.pendings.append(pending)
        await self._queue(pending)
        return pending

    def forget(self) -> int:
        """As after a long outage: what waits is gone. Returns how many that were."""
        gone = len(self._waiting)
        self._waiting.clear()
        return gone

    async def drop(self, *, reason: str = "") -> None:
        """Ends all sockets: with a `disconnect` frame of this reason, or without a word."""
        for socket in tuple(self.open):
            if reason:
                await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}})
            await socket.close()

    async def connected(self, count: int = 1) -> None:
        """Until so many sockets are open."""
        async with asyncio.timeout(PATIENCE_S), self._changed:
            await self._changed.wait_for(lambda: len(self.open) >= count)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection of the app."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="this ticket is used or was never given")
        self._tickets.remove(ticket)
        socket = web.WebSocketResponse(autoping=True)
        await socket.prepare(request)
        info: Json = {"type": "hello", "num_connections": len(self.open) + 1, "connection_info": {"app_id": APP}}
        await socket.send_json(info | {"debug_info": {"host": "fake", "approximate_connection_time": 18060}})
        flight: dict[str, Pending] = {}
        await self._joined(socket)
        try:
            async with asyncio.TaskGroup() as group:
                writer = group.create_task(self._write(socket, flight))
                await self._read(socket, flight)
                writer.cancel()
        finally:
            self.open.remove(socket)
            for pending in flight.values():
                await self._failed(pending)
        return socket

    async def _joined(self, socket: web.WebSocketResponse) -> None:
        async with self._changed:
            self.open.append(socket)
            self._changed.notify_all()

    async def _queue(self, pending: Pending) -> None:
        async with self._changed:
            self._waiting.append(pending)
            self._changed.notify_all()

    async def _read(self, socket: web.WebSocketResponse, flight: dict[str, Pending]) -> None:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            said = json.loads(message.data)
            if self.moments("acknowledge", "arrived"):
                continue
            pending = flight.pop(text_at(said, "envelope_id"), None)
            if pending is not None:
                self.acknowledged += 1
                pending.answer = dict(said)
                pending.settled.set()
            self.moments("acknowledge", "taken")

    async def _write(self, socket: web.WebSocketResponse, flight: dict[str, Pending]) -> None:
        loop = asyncio.get_running_loop()
        deadlines: dict[str, float] = {}
        while not socket.closed:
            for envelope in [one for one, at in deadlines.items() if at <= loop.time() or one not in flight]:
                del deadlines[envelope]
                if late := flight.pop(envelope, None):
                    await self._failed(late)
            pending = await self._next(socket, min(deadlines.values(), default=loop.time() + PATIENCE_S))
            if pending is None:
                continue
            envelope = str(uuid.uuid4())
            flight[envelope] = pending
            deadlines[envelope] = loop.time() + self._ack_within
            with contextlib.suppress(ConnectionError):
                await self._send(socket, envelope, pending)

    async def _next(self, socket: web.WebSocketResponse, until: float) -> Pending | None:
        """What is due, for this socket's turn among the open ones; None when the time is over."""
        loop = asyncio.get_running_loop()
        async with self._changed:
            while not socket.closed:
                due = [one for one in self._waiting if one.due <= loop.time()]
                if due:
                    self._waiting.remove(due[0])
                    self.open.sort(key=lambda one: one is socket)
                    return due[0]
                wake = min([until, *(one.due for one in self._waiting)])
                if loop.time() >= until:
                    return None
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), max(0.0, wake - loop.time()))
        return None

    async def _send(self, socket: web.WebSocketResponse, envelope: str, pending: Pending) -> None:
        body: Json = {
            "envelope_id": envelope,
            "type": pending.delivery.kind,
            "accepts_response_payload": pending.delivery.answerable,
            "payload": pending.delivery.payload,
        }
        if pending.delivery.kind == "events_api":
            body |= {"retry_attempt": pending.attempt, "retry_reason": "timeout" if pending.attempt else ""}
        self.offers.append(body)
        await socket.send_json(body)

    async def _failed(self, pending: Pending) -> None:
        if pending.delivery.answerable or pending.attempt >= len(self._waits):
            pending.settled.set()
            return
        pending.due = asyncio.get_running_loop().time() + self._waits[pending.attempt]
        pending.attempt += 1
        await self._queue(pending)
