"""The server: methods, files and webhooks of one bot on one port of loopback."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from tests.fakes.telegram import asking, sending
from tests.fakes.telegram.calls import Call
from tests.fakes.telegram.faults import Fault, Faults, Planned
from tests.fakes.telegram.people import People
from tests.fakes.telegram.refused import Refused
from tests.fakes.telegram.updates import Updates
from tests.fakes.telegram.world import TOKEN, World
from tests.fakes.wire import Json, text_at

METHODS: Mapping[str, Callable[[Call], object]] = {**sending.METHODS, **asking.METHODS}
COUNTED = frozenset(name for name in METHODS if name.startswith("send") and name != "sendchataction") | {
    "editmessagetext",
    "editmessagecaption",
}
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One request and what it was told; an empty error means that it was done."""

    method: str
    args: Json = field(hash=False)
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """One try to hand an update to a webhook; status 0 is no answer."""

    update: Json = field(hash=False)
    status: int


class TelegramServer:
    """`async with TelegramServer() as telegram:` serves `telegram.base_url` until the block is left.

    `moments` is told when a call arrived, was taken and was answered; where it says true, the caller hears nothing, and
    of a call that only arrived nothing is done. Webhooks are served inside `async with telegram.pushing():`. A refused
    post comes again after each of `waits`, the last of which stays; in the real one they double up to a minute or two.
    """

    def __init__(
        self, *, now: Callable[[], float] = time.time, waits: Sequence[float] = (0.05, 0.1, 0.2), port: int = 0
    ) -> None:
        self.world = World(now=now)
        self.faults = Faults()
        self.updates = Updates(now)
        self.people = People(self.world, self.updates.add)
        self.calls: list[Called] = []
        self.posts: list[Posted] = []
        self.moments: Callable[[str, str], bool] = lambda method, moment: False
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._waits = tuple(waits)
        self._runner: web.AppRunner | None = None
        self._queue_methods: Mapping[str, Callable[[Call], Awaitable[object]]] = {
            "getupdates": self.updates.poll,
            "setwebhook": self.updates.set_webhook,
            "deletewebhook": self.updates.delete_webhook,
            "getwebhookinfo": self.updates.info,
        }

    @property
    def base_url(self) -> str:
        """What the library takes as its base URL."""
        return f"{self.url}/bot"

    @property
    def base_file_url(self) -> str:
        """Where it fetches files."""
        return f"{self.url}/file/bot"

    def asked(self, method: str) -> list[Json]:
        """The arguments of all calls of this method, also of those that were refused."""
        return [one.args for one in self.calls if one.method == method.lower()]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/bot{token}/{method}", self._api)
        app.router.add_get("/file/bot{token}/{path:.*}", self._file)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self.updates.cut()
        await self._runner.cleanup()

    @asynccontextmanager
    async def pushing(self) -> AsyncIterator[None]:
        """While a webhook is set, updates are posted there, in order."""
        async with ClientSession(timeout=ClientTimeout(total=20)) as session, asyncio.TaskGroup() as group:
            pushing = group.create_task(self._push(session))
            try:
                yield
            finally:
                pushing.cancel()

    async def _push(self, session: ClientSession) -> None:
        failed = 0
        while True:
            async with self.updates.changed:
                await self.updates.changed.wait_for(lambda: self.updates.webhook.url and self.updates.waiting())
            update = self.updates.waiting()[0].update
            status, wait = await self._posted(session, update)
            self.posts.append(Posted(update=update, status=status))
            if 200 <= status < 300:
                self.updates.done(update)
                failed = 0
            else:
                await asyncio.sleep(wait or self._waits[min(failed, len(self._waits) - 1)])
                failed += 1

    async def _posted(self, session: ClientSession, update: Json) -> tuple[int, float]:
        hook = self.updates.webhook
        headers = {SECRET_HEADER: hook.secret} if hook.secret else {}
        try:
            async with session.post(hook.url, json=update, headers=headers) as answer:
                await answer.read()
                return answer.status, float(answer.headers.get("Retry-After", "0"))
        except (ClientError, TimeoutError):
            return 0, 0.0

    async def _api(self, request: web.Request) -> web.StreamResponse:
        try:
            args, uploads = await _arguments(request)
        except ConnectionResetError:
            return _cut(request)
        return await self._called(request, args, uploads)

    async def _called(
        self, request: web.Request, args: Json, uploads: dict[str, tuple[str, bytes]]
    ) -> web.StreamResponse:
        method = request.match_info["method"].lower()
        chat = text_at(args, "chat_id")
        planned = self.faults.due(method, chat)
        if (planned and planned.fault is Fault.BEFORE) or self.moments(method, "arrived"):
            return _cut(request)
        call = Call(method=request.match_info["method"], args=args, world=self.world, uploads=uploads)
        try:
            result = await self._answer(request.match_info["token"], method, call, planned)
        except Refused as refused:
            self.calls.append(Called(method=method, args=args, error=str(refused)))
            return web.json_response(refused.body(), status=refused.code)
        except ConnectionAbortedError:
            return _cut(request)
        self.calls.append(Called(method=method, args=args, error=""))
        if planned and planned.fault is Fault.AFTER:
            return _cut(request)
        if planned and planned.gate:
            await planned.gate.wait()
        return await self._answered(request, method, result)

    async def _answered(self, request: web.Request, method: str, result: object) -> web.StreamResponse:
        if self.moments(method, "taken"):
            return _cut(request)
        response = web.json_response({"ok": True, "result": result})
        with suppress(ConnectionResetError):
            await response.prepare(request)
            await response.write_eof()
        self.moments(method, "answered")
        return response

    async def _answer(self, token: str, method: str, call: Call, planned: Planned | None) -> object:
        if token != TOKEN:
            raise Refused(401, "Unauthorized")
        if planned and planned.refusal:
            raise planned.refusal
        if method in COUNTED:
            self.faults.spend(call.text("chat_id"))
        if method in self._queue_methods:
            return await self._queue_methods[method](call)
        if method not in METHODS:
            raise Refused(404, "Not Found")
        return METHODS[method](call)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        found = [one for one in self.world.files.values() if one.path == request.match_info["path"]]
        if not found or request.match_info["token"] != TOKEN:
            return web.json_response(Refused(404, "Not Found").body(), status=404)
        return web.Response(body=found[0].data, content_type="application/octet-stream")


async def _arguments(request: web.Request) -> tuple[Json, dict[str, tuple[str, bytes]]]:
    args: Json = dict(request.query)
    uploads: dict[str, tuple[str, bytes]] = {}
    if request.content_type == "application/json":
        body = await request.json()
        return args | (body if isinstance(body, dict) else {}), uploads
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            uploads[name] = (value.filename, value.file.read())
        else:
            args[name] = value
    return args, uploads


def _cut(request: web.Request) -> web.StreamResponse:
    """Ends the connection in the middle: the client hears nothing."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
