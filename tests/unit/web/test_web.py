"""The web server, over real sockets."""

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import ClientSession

from channels.contract import Serves, WebAnswer, WebRequest
from core.domain.errors import SettingsError, StoreFull
from gateway.web.routes import Routes
from gateway.web.server import Bind, Binds, bind_of, listening

ANY = Bind(host="127.0.0.1", port=0)


@dataclass(eq=False, slots=True)
class Hook:
    """A channel that asks for a secret before it reads anything."""

    serves: bool = True
    most: int = 1_000
    full: bool = False
    heard: list[bytes] = field(default_factory=list)

    async def web(self, request: WebRequest) -> WebAnswer:
        if request.headers.get("x-secret") != "fake-secret":
            return WebAnswer(status=403)
        body = await request.body(self.most)
        if body is None:
            return WebAnswer(status=413)
        if self.full:
            raise StoreFull("no space")
        self.heard.append(body)
        return WebAnswer(status=200, body=request.query.encode(), headers={"X-Ours": "1"})


@dataclass(eq=False, slots=True)
class Site:
    """A server on loopback, and who asks it."""

    hook: Hook
    session: ClientSession
    ports: tuple[int, ...] = ()
    problems: list[str] = field(default_factory=list)

    def url(self, path: str, which: int = 0) -> str:
        return f"http://127.0.0.1:{self.ports[which]}{path}"

    async def post(self, data: bytes, *, secret: str = "fake-secret", path: str = "/channels/chat/work?a=1") -> int:
        async with self.session.post(self.url(path, -1), data=data, headers={"X-Secret": secret}) as answer:
            await answer.read()
            return answer.status


@asynccontextmanager
async def opened(binds: Binds) -> AsyncIterator[Site]:
    hook = Hook()

    def find(name: str, account: str) -> Serves | None:
        return hook if (name, account) == ("chat", "work") else None

    async with ClientSession() as session:
        site = Site(hook, session)

        async def problems() -> list[str]:
            return site.problems

        async with listening(binds, Routes(find, problems)) as ports:
            site.ports = ports
            yield site


async def test_health_tells_what_is_wrong_and_only_at_home() -> None:
    async with opened(Binds(own=ANY, public=ANY)) as site:
        async with site.session.get(site.url("/health")) as answer:
            assert (answer.status, await answer.json()) == (200, {"status": "ok", "problems": []})
        site.problems.append("the disk is full")
        async with site.session.get(site.url("/health")) as answer:
            assert (answer.status, (await answer.json())["problems"]) == (503, ["the disk is full"])
        async with site.session.get(site.url("/health", 1)) as answer:
            assert answer.status == 404
        async with site.session.post(site.url("/channels/chat/work", 0)) as answer:
            assert answer.status == 404


@pytest.mark.parametrize("binds", [Binds(own=ANY), Binds(own=ANY, public=ANY), Binds(public=ANY)])
async def test_an_event_reaches_the_channel_of_its_path(binds: Binds) -> None:
    async with opened(binds) as site:
        assert await site.post(b"event") == 200
        assert await site.post(b"event", path="/channels/chat/home") == 404
        assert await site.post(b"event", secret="other") == 403
        assert site.hook.heard == [b"event"]


async def test_a_channel_that_takes_no_events_by_http_is_not_there() -> None:
    async with opened(Binds(own=ANY)) as site:
        site.hook.serves = False
        assert await site.post(b"event") == 404


async def test_a_body_is_read_up_to_the_limit_and_no_further() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"x" * 500

    async with opened(Binds(own=ANY)) as site:
        assert await site.post(b"x" * 1_000) == 200
        assert await site.post(b"x" * 1_001) == 413
        headers = {"X-Secret": "fake-secret"}
        async with site.session.post(site.url("/channels/chat/work"), data=pieces(), headers=headers) as answer:
            assert answer.status == 413


async def test_what_was_not_stored_is_to_come_again() -> None:
    async with opened(Binds(own=ANY)) as site:
        site.hook.full = True
        async with site.session.post(
            site.url("/channels/chat/work"), data=b"x", headers={"X-Secret": "fake-secret"}
        ) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")


async def test_strangers_with_large_bodies_are_closed_after_their_headers() -> None:
    async with opened(Binds(own=ANY)) as site:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answers = await asyncio.gather(*(_shouts(site.ports[0]) for _ in range(200)))
        assert [one for one in answers if one != b"HTTP/1.1 403 Forbidden"] == []
        grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown_kb < 16_000  # of both ends: 200 connections of client and server in one process


async def _shouts(port: int) -> bytes:
    """Announces 30 MB, begins to send them, and gives the status line of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /channels/chat/work HTTP/1.1\r\nHost: x\r\nContent-Length: 31457280\r\n\r\n" + b"x" * 1_000)
    line = await reader.readline()
    await reader.read()
    writer.close()
    return line.strip()


@pytest.mark.parametrize(
    ("text", "public", "complaint"),
    [
        ("8650", False, "host:port"),
        ("127.0.0.1:http", False, "host:port"),
        ("127.0.0.1:70000", False, "host:port"),
        ("0.0.0.0:8650", False, "loopback"),
    ],
)
def test_a_wrong_address_is_named_with_its_key(text: str, public: bool, complaint: str) -> None:
    with pytest.raises(SettingsError, match=f"web.bind must be.*{complaint}"):
        bind_of(text, "web.bind", public=public)


def test_an_address_is_a_host_and_a_port() -> None:
    assert bind_of("[::1]:80", "web.bind") == Bind(host="::1", port=80)
    assert bind_of("0.0.0.0:443", "web.public_bind", public=True) == Bind(host="0.0.0.0", port=443)


async def test_an_address_that_is_taken_is_a_setting_to_change() -> None:
    async with opened(Binds(own=ANY)) as site:
        with pytest.raises(SettingsError, match="cannot be 127"):
            async with opened(Binds(own=Bind(host="127.0.0.1", port=site.ports[0]))):
                pass
