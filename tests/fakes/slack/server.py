"""The server: the Web API, sockets, files and response URLs on one port of loopback."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.slack import chat, files, reading
from tests.fakes.slack.calls import Call
from tests.fakes.slack.events import Delivery, event_body
from tests.fakes.slack.faults import Fault, Faults, Planned
from tests.fakes.slack.people import People
from tests.fakes.slack.refused import Refused, rate_limited
from tests.fakes.slack.signed import SignedPosts
from tests.fakes.slack.sockets import Pending, Sockets
from tests.fakes.slack.world import APP_TOKEN, BOT_TOKEN, World
from tests.fakes.wire import Json, flag_at, text_at

METHODS: Mapping[str, Callable[[Call], Json]] = {**chat.METHODS, **reading.METHODS, **files.METHODS}
MOST_RESPONSES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One request to the Web API and what it was told; an empty error means that it was done."""

    method: str
    args: Json = field(hash=False)
    error: str


class SlackServer:
    """`async with SlackServer() as slack:` serves `slack.api_url` until the block is left.

    Events go over the sockets; once `signed` is set they go there instead. With `echoes` the app hears of its own
    messages too, as it does in a real workspace. `moments` is told when a call arrived, was taken and was answered;
    where it says true, the caller hears nothing, and of a call that only arrived nothing is done.
    """

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.time,
        waits: Sequence[float] = (0.0, 1.0, 2.0),
        ack_within: float = 3.0,
        port: int = 0,
    ) -> None:
        self.world = World(now=now)
        self.faults = Faults()
        self.sockets = Sockets(waits, ack_within=ack_within)
        self.people = People(self.world, self._tell, lambda: self.url)
        self.calls: list[Called] = []
        self.signed: SignedPosts | None = None
        self.echoes = True
        self.moments: Callable[[str, str], bool] = lambda method, moment: False
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def api_url(self) -> str:
        """What the SDK takes as its base URL."""
        return f"{self.url}/api/"

    def asked(self, method: str) -> list[Json]:
        """The arguments of all calls of this method, also of those that were refused."""
        return [one.args for one in self.calls if one.method == method]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/link", self.sockets.serve)
        app.router.add_post("/upload/{file}", self._upload)
        app.router.add_get("/files-pri/{file}/{name:.*}", self._download)
        app.router.add_post("/response/{token}", self._respond)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()
        # A connection that was accepted at the last moment still becomes one that can be closed.
        await asyncio.sleep(0.01)

    async def _tell(self, delivery: Delivery) -> Pending | None:
        if self.signed is None:
            return await self.sockets.offer(delivery)
        await self.signed.deliver(delivery)
        return None

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        args = await _arguments(request)
        channel = text_at(args, "channel") or text_at(args, "channel_id")
        planned = self.faults.due(method, channel)
        if (planned and planned.fault is Fault.CUT_BEFORE) or self.moments(method, "arrived"):
            return _cut(request)
        try:
            body = self._answer(request, method, args, planned)
        except Refused as refused:
            self.calls.append(Called(method=method, args=args, error=str(refused)))
            return web.json_response(refused.body, status=refused.status, headers=refused.headers)
        self.calls.append(Called(method=method, args=args, error=""))
        await self._echo(method, body)
        if (planned and planned.fault is Fault.CUT_AFTER) or self.moments(method, "taken"):
            return _cut(request)
        response = web.json_response(body, headers={"x-oauth-scopes": ",".join(self.world.scopes)})
        await response.prepare(request)
        await response.write_eof()
        self.moments(method, "answered")
        return response

    def _answer(self, request: web.Request, method: str, args: Json, planned: Planned | None) -> Json:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or text_at(args, "token")
        if planned and planned.fault is Fault.REFUSED:
            raise rate_limited(planned.retry_after) if planned.retry_after else _planned(planned)
        if not token:
            raise Refused("not_authed")
        if token not in (BOT_TOKEN, APP_TOKEN):
            raise Refused("invalid_auth")
        if (token == APP_TOKEN) != (method == "apps.connections.open"):
            raise Refused("not_allowed_token_type")
        if method == "apps.connections.open":
            ticket = self.sockets.ticket()
            return {"ok": True, "url": f"{self.url.replace('http', 'ws', 1)}/link?ticket={ticket}"}
        if method not in METHODS:
            raise Refused("unknown_method", req_method=method)
        call = Call(method=method, args=args, world=self.world, base=self.url)
        self.faults.spend(method, call.text("channel"))
        return {"ok": True, **METHODS[method](call)}

    async def _echo(self, method: str, body: Json) -> None:
        """The app's own message as an event; without a socket nobody hears it."""
        if method != "chat.postMessage" or not self.echoes or not (self.sockets.open or self.signed):
            return
        ts, channel = text_at(body, "ts"), text_at(body, "channel")
        place = self.world.conversations[channel]
        event: Json = {"channel": channel, "channel_type": place.kind, "event_ts": ts}
        delivery = event_body(place.messages[ts] | event, self.world.next_id("Ev"), self.world.now())
        if self.signed is None:
            await self.sockets.offer(delivery)

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        file = self.world.files.get(request.match_info["file"])
        data = await request.read()
        if request.content_type == "multipart/form-data":
            parts = [part for part in (await request.post()).values() if isinstance(part, web.FileField)]
            data = parts[0].file.read() if parts else b""
        if file is None or len(data) != file.length:
            return web.Response(status=400, text="the length is another than was announced")
        file.data = data
        return web.Response(text=f"OK - {file.length}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        file = self.world.files.get(request.match_info["file"])
        if file is None:
            return web.Response(status=404)
        if request.headers.get("Authorization") != f"Bearer {BOT_TOKEN}":
            return web.Response(body=files.SIGN_IN, content_type="text/html")
        return web.Response(body=file.data, content_type="application/octet-stream")

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        token = request.match_info["token"]
        where = self.people.responses.get(token)
        used = sum(1 for one in self.world.ledger if one.method == f"response_url {token}")
        if where is None or used >= MOST_RESPONSES:
            return web.json_response({"ok": False, "error": "used_url"}, status=404)
        body: Json = await request.json()
        channel, _, ts = where.partition(" ")
        messages = self.world.conversations[channel].messages
        if flag_at(body, "delete_original"):
            messages.pop(ts, None)
        elif flag_at(body, "replace_original") and ts in messages:
            messages[ts] |= {key: value for key, value in body.items() if key in ("text", "blocks")}
        self.world.accept(f"response_url {token}", channel, {**body, "ts": self.world.next_ts()})
        return web.json_response({"ok": True})


async def _arguments(request: web.Request) -> Json:
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        body = json.loads(await request.text() or "{}")
        return args | body if isinstance(body, dict) else args
    return args | dict(await request.post())


def _planned(planned: Planned) -> Refused:
    return Refused(planned.error, status=planned.status)


def _cut(request: web.Request) -> web.StreamResponse:
    """Ends the connection in the middle: the client hears nothing."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
