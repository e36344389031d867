"""web_fetch: what a model reads of a page, and what it cannot ask for."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from core.domain.errors import ToolError
from core.domain.tool import Effect
from core.tools.fetch import Caps, Fetch, Page, Reach
from core.tools.web_fetch import MOST_CHARACTERS, rendered, web_fetch
from tests.fakes.web import Names, Site, answer
from tests.unit.tools.conftest import Room

ARTICLE = """<!doctype html><html><head><title> The  Tale </title><style>p {}</style></head><body>
<script>alert(1)</script><h1>One</h1><p>Read <a href="/next?x=1">the next</a>, <a href="https://other.example/">another</a>,
<a href="#here">here</a>, <a href="javascript:alert(1)">click</a>, <a href="data:text/html,x">inline</a>.</p>
<table><tr><td>a</td><td>b</td></tr></table><ul><li>first</li><li>größer</li></ul>
<div style="display:none">hidden</div></body></html>"""


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Site() as server:
        yield server


def tool_for(site: Site, caps: Caps | None = None) -> Fetch:
    return Fetch(resolve=Names({"site.example": [["127.0.0.1"]]}), reach=Reach(also=frozenset({site.place})), caps=caps)


async def read(room: Room, site: Site, caps: Caps | None = None) -> str:
    return await room.text(web_fetch(tool_for(site, caps)), url=f"http://site.example:{site.port}/")


async def test_a_page_becomes_text_with_its_title_and_whole_links(room: Room, site: Site) -> None:
    site.pages["/"] = answer(ARTICLE, content_type="text/html; charset=utf-8")
    assert await read(room, site) == (
        f"http://site.example:{site.port}/\nHTTP 200, text/html\nTitle: The Tale\n\nOne\n\n"
        f"Read [the next](http://site.example:{site.port}/next?x=1), [another](https://other.example/), "
        f"here, click, inline.\n\na  b\n\n  * first\n  * größer"
    )


async def test_json_and_text_come_as_they_are(room: Room, site: Site) -> None:
    for media_type, body in (
        ("application/json", '{"a": "<b>"}'),
        ("text/plain", "<p>not a page</p>"),
        ("application/rss+xml", "<rss/>"),
        ("text/csv", "a,b\n1,2"),
    ):
        site.pages["/"] = answer(body, content_type=media_type)
        assert (await read(room, site)).endswith(f"HTTP 200, {media_type}\n\n{body}")


async def test_another_media_type_is_named_with_its_size(room: Room, site: Site) -> None:
    site.pages["/"] = answer(b"\x89PNG" + bytes(10_000), content_type="image/png")
    assert (await read(room, site)).endswith("HTTP 200, image/png\nThis is not text and is not shown: 10,004 bytes.")


async def test_without_a_media_type_the_content_decides(room: Room, site: Site) -> None:
    for body, end in ((b"<html><p>hi</p>", "\n\nhi"), (b"just words", "\n\njust words"), (b"\0\1\2", "3 bytes.")):
        site.pages["/"] = answer(body)
        assert (await read(room, site)).endswith(end)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html; charset=iso-8859-1", "<p>größe</p>".encode("latin-1")),
        ("text/html; charset=windows-1251", "<p>größe</p>".encode("cp1251", "xmlcharrefreplace")),
        ("text/html", '<meta charset="iso-8859-1"><p>größe</p>'.encode("latin-1")),
        ("text/html", "<p>größe</p>".encode()),
        ("text/html; charset=punycode", "<p>größe</p>".encode()),
        ("text/html; charset=none-such", "<p>größe</p>".encode()),
        ("text/plain; charset=utf-16", "größe".encode("utf-16")),
    ],
)
async def test_the_named_charset_is_used_when_it_is_a_known_one(
    room: Room, site: Site, content_type: str, body: bytes
) -> None:
    site.pages["/"] = answer(body, content_type=content_type)
    assert (await read(room, site)).endswith("\n\ngröße")


@pytest.mark.parametrize("media_type", ["text/html", "text/plain"])
async def test_a_long_page_is_cut_at_the_limit_and_says_where(room: Room, site: Site, media_type: str) -> None:
    site.pages["/"] = answer("word " * 20_000, content_type=media_type)
    text = await read(room, site)
    assert MOST_CHARACTERS - 100 < len(text) <= MOST_CHARACTERS
    assert " characters are shown)" in text[-60:]
    site.pages["/"] = answer("word " * 3_000, content_type=media_type)
    assert "characters are shown" not in await read(room, site)


async def test_a_page_longer_than_what_is_read_says_so(room: Room, site: Site) -> None:
    site.pages["/"] = answer("x" * 1_001, content_type="text/plain")
    assert (await read(room, site, Caps(body=1_000))).endswith("\n(the page is longer than what was read of it)")
    assert (await read(room, site, Caps(body=1_001))).endswith("xxx")


async def test_a_page_with_an_error_status_is_read_and_marked_as_failed(room: Room, site: Site) -> None:
    site.pages["/"] = answer("gone", status=410, content_type="text/plain")
    result = await room.call(web_fetch(tool_for(site)), url=f"http://site.example:{site.port}/")
    assert result.failed
    assert "HTTP 410" in result.text
    assert result.text.endswith("gone")


@pytest.mark.parametrize("body", ["", " ", "<!-- only this -->", "<html></html>", "<?xml version='1.0'?>"])
async def test_a_page_without_text_is_told_as_one(room: Room, site: Site, body: str) -> None:
    site.pages["/"] = answer(body, content_type="text/html")
    assert (await read(room, site)).endswith("\n\n(no text)")


async def test_a_page_made_to_be_slow_is_given_up_and_the_gateway_goes_on_meanwhile() -> None:
    body = b"<table><tr>" + b"<td>a" * 300_000
    page = Page(
        url="http://a.example/", status=200, media_type="text/html", charset="", body=body, size=None, cut=False
    )
    longest, before = 0.0, time.perf_counter()
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(told_of(page, 0.25))
        while not reading.done():
            await asyncio.wait({reading}, timeout=0.01)
            longest, before = max(longest, time.perf_counter() - before), time.perf_counter()
    assert "too large or complex" in reading.result()
    assert longest < 1


async def told_of(page: Page, seconds: float) -> str:
    with pytest.raises(ToolError) as caught:
        await rendered(page, seconds)
    return str(caught.value)


async def test_nothing_but_the_url_can_be_asked_for(room: Room, site: Site) -> None:
    fetch = web_fetch(tool_for(site))
    for extra in ("base_url", "proxy", "headers", "reach", "also", "ports", "options", "verify"):
        arguments = {"url": "http://10.0.0.1/", extra: {"base_url": "http://10.0.0.1/"}}
        assert f"{extra}: is not a field" in await room.refusal(fetch, **arguments)
    assert "not public" in await room.refusal(fetch, url="http://10.0.0.1/")
    assert site.connections == 0
    assert (fetch.spec.effect, fetch.spec.replayable) == (Effect.READS, True)
