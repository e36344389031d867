"""The server: REST, gateway and attachments on one port of loopback."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.discord import messages, places
from tests.fakes.discord.calls import Answer, Call, Route, Upload
from tests.fakes.discord.faults import Fault, Faults, Planned
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.interactions import COMMANDS, Interactions
from tests.fakes.discord.people import People
from tests.fakes.discord.refused import Refused
from tests.fakes.discord.world import TOKEN, World

BASE = "/api/v10"
MAJORS = ("channel", "guild", "token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One REST request and how it ended; status 0 when its connection was cut before anything was done."""

    method: str
    path: str
    body: object = field(hash=False)
    status: int


class DiscordServer:
    """`async with DiscordServer() as discord:` serves `api_url` and `gateway_url` until the block is left."""

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.time,
        interval_ms: int = 41_250,
        compressed: bool = False,
        port: int = 0,
    ) -> None:
        self.world = World(now=now)
        self.faults = Faults()
        self.gateway = Gateway(self.world, interval_ms=interval_ms, compressed=compressed)
        interactions = Interactions()
        self.people = People(self.world, self.gateway.tell, interactions)
        self.calls: list[Called] = []
        self.url = f"http://127.0.0.1:{port}"
        self._routes = _compiled({**messages.ROUTES, **places.ROUTES, **COMMANDS, **interactions.routes()})
        self._runner: web.AppRunner | None = None

    @property
    def api_url(self) -> str:
        """What discord.http.Route.BASE is set to."""
        return self.url + BASE

    @property
    def gateway_url(self) -> str:
        """What DiscordWebSocket.DEFAULT_GATEWAY is set to, as a yarl.URL."""
        return f"{self.url.replace('http', 'ws', 1)}/gw"

    def asked(self, method: str, path: str) -> list[Called]:
        """All calls of this method whose path holds these words."""
        return [one for one in self.calls if one.method == method and path in one.path]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/gw", self.gateway.serve)
        app.router.add_get("/gw-resume", self.gateway.serve)
        app.router.add_get("/attachments/{channel}/{file}/{name:.*}", self._download)
        app.router.add_route("*", BASE + "{path:/.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", int(self.url.rsplit(":", 1)[1])).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.people.base = self.url
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path = request.rel_url.raw_path.removeprefix(BASE)
        body, files = await _body(request)
        planned = self.faults.due(request.method, path)
        if planned and planned.fault is Fault.CUT_BEFORE:
            self.calls.append(Called(method=request.method, path=path, body=body, status=0))
            return _cut(request)
        answered = await self._answered(request, path, body, files, planned)
        self.faults.banned += answered.status in (401, 403, 429)
        self.calls.append(Called(method=request.method, path=path, body=body, status=answered.status))
        return _cut(request) if planned and planned.fault is Fault.CUT_AFTER else answered

    async def _answered(
        self, request: web.Request, path: str, body: object, files: Sequence[Upload], planned: Planned | None
    ) -> web.Response:
        headers: Mapping[str, str] = {}
        try:
            if planned and planned.refused:
                raise planned.refused
            template, route, ids = self._route(request.method, path)
            _authorized(request, template)
            headers = self.faults.spend(request.method, template, next((ids[one] for one in MAJORS if one in ids), ""))
            call = Call(
                ids=ids,
                query=dict(request.query),
                body=body,
                files=files,
                world=self.world,
                tell=self.gateway.tell,
                base=self.url,
            )
            answer = await route(call)
        except Refused as refused:
            return _json(refused.body, status=refused.status, headers={**headers, **refused.headers})
        return _json(answer, status=204 if answer is None else 200, headers=headers)

    def _route(self, method: str, path: str) -> tuple[str, Route, Mapping[str, str]]:
        for (wanted, template), (pattern, route) in self._routes.items():
            found = pattern.fullmatch(path)
            if wanted == method and found:
                return template, route, found.groupdict()
        raise Refused(404, 0, "404: Not Found")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        data = self.world.files.get(request.match_info["file"])
        return web.Response(status=404) if data is None else web.Response(body=data)


def _compiled(routes: Mapping[tuple[str, str], Route]) -> Mapping[tuple[str, str], tuple[re.Pattern[str], Route]]:
    found = {}
    for (method, template), route in routes.items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        found[method, template] = (re.compile(pattern), route)
    return dict(sorted(found.items(), key=lambda one: one[0][1].count("{")))


def _authorized(request: web.Request, template: str) -> None:
    if (
        not template.startswith(("/interactions", "/webhooks"))
        and request.headers.get("Authorization") != f"Bot {TOKEN}"
    ):
        raise Refused(401, 0, "401: Unauthorized")


async def _body(request: web.Request) -> tuple[object, tuple[Upload, ...]]:
    if request.content_type == "application/json":
        return json.loads(await request.text() or "null"), ()
    if request.content_type != "multipart/form-data":
        return None, ()
    form = await request.post()
    files = tuple(
        Upload(name=part.filename, data=part.file.read(), media_type=part.content_type or "application/octet-stream")
        for part in form.values()
        if isinstance(part, web.FileField)
    )
    return json.loads(str(form.get("payload_json", "null"))), files


def _json(answer: Answer, *, status: int, headers: Mapping[str, str]) -> web.Response:
    # discord.py reads JSON only when the content type is exactly this, without a charset.
    if answer is None:
        return web.Response(status=status, headers=headers)
    return web.Response(
        body=json.dumps(answer).encode(), status=status, headers={**headers, "Content-Type": "application/json"}
    )


def _cut(request: web.Request) -> web.StreamResponse:
    """Ends the connection in the middle: the client hears nothing."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
