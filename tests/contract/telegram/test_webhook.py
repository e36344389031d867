"""Updates that Telegram pushes."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import ValidationError

from channels.contract import WebRequest
from channels.telegram.channel import TelegramChannel
from channels.telegram.settings import TelegramSettings
from channels.telegram.webhook import HEADER, LARGEST
from tests.contract.telegram.desk import Kept, awake, serving
from tests.fakes.telegram import TelegramServer
from tests.fakes.waiting import until
from tests.unit.telegram.updates import message, update

SECRET = "not-a-real-secret-but-long-enough_0"
HOOK = "https://bot.example/channels/telegram/1"


class Body:
    """What a request brings; `read` says whether anybody looked."""

    def __init__(self, data: bytes) -> None:
        self.read = False
        self._data = data

    async def __call__(self, most: int) -> bytes | None:
        self.read = True
        return self._data if len(self._data) <= most else None


def post(body: Body, secret: str | None = SECRET, method: str = "POST") -> WebRequest:
    headers: Mapping[str, str] = {} if secret is None else {HEADER: secret}
    return WebRequest(method=method, query="", headers=headers, body=body)


@asynccontextmanager
async def pushed(workspace: Path, kept: Kept) -> AsyncIterator[tuple[TelegramServer, TelegramChannel]]:
    async with (
        serving() as server,
        awake(server, workspace, kept, mode="webhook", webhook_url=HOOK, webhook_secret=SECRET) as channel,
    ):
        await until(lambda: bool(server.updates.webhook.url))
        yield server, channel


def body(text: str = "hello", number: int = 1) -> Body:
    return Body(json.dumps(update(message(text), number=number)).encode())


async def test_an_update_is_answered_once_it_is_stored(tmp_path: Path) -> None:
    kept = Kept(refuses=1)
    async with pushed(tmp_path, kept) as (server, channel):
        assert channel.serves
        assert (server.updates.webhook.url, server.updates.webhook.secret) == (HOOK, SECRET)
        refused = await channel.web(post(body()))
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert (await channel.web(post(body()))).status == 200
        assert (await channel.web(post(body()))).status == 200
    assert [event.content for event in kept.said] == ["hello"]


@pytest.mark.parametrize("secret", [None, "", SECRET[:-1], SECRET[:-1] + "1", SECRET + "0", SECRET.upper(), "ö" * 40])
async def test_who_does_not_know_the_secret_is_refused_before_the_body_is_read(
    tmp_path: Path, secret: str | None
) -> None:
    kept = Kept()
    async with pushed(tmp_path, kept) as (_, channel):
        given = body()
        assert (await channel.web(post(given, secret))).status == 403
        assert not given.read
    assert not kept.events


async def test_a_body_that_is_too_large_is_refused(tmp_path: Path) -> None:
    async with pushed(tmp_path, Kept()) as (_, channel):
        assert (await channel.web(post(Body(b"x" * (LARGEST + 1))))).status == 413


async def test_a_body_that_nobody_can_read_is_stored_as_a_drop_and_never_pushed_again(tmp_path: Path) -> None:
    kept = Kept()
    async with pushed(tmp_path, kept) as (_, channel):
        for number, raw in enumerate((b"{", b"[]", b"[" * 50_000, b'{"update_id": 3, "message": {}}')):
            assert (await channel.web(post(Body(raw)))).status == 200, number
    assert {one.event_key for one in kept.events.values()} >= {"malformed"}


async def test_nobody_takes_anything_while_nobody_listens(tmp_path: Path) -> None:
    kept = Kept()
    async with pushed(tmp_path, kept) as (_, channel):
        pass
    assert (await channel.web(post(body()))).status == 503


async def test_only_posts_are_taken(tmp_path: Path) -> None:
    async with pushed(tmp_path, Kept()) as (_, channel):
        assert (await channel.web(post(body(), method="GET"))).status == 405


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"mode": "webhook", "webhook_url": HOOK}, "webhook_secret"),
        ({"mode": "webhook", "webhook_secret": SECRET}, "webhook_url"),
        ({"mode": "webhook", "webhook_url": HOOK, "webhook_secret": ""}, "webhook_secret"),
        ({"mode": "webhook", "webhook_url": HOOK, "webhook_secret": "short"}, "webhook_secret"),
        ({"mode": "push"}, "mode"),
        ({"tokens": "x"}, "tokens"),
        ({"api_url": "ftp://x"}, "api_url"),
        ({"unsure": "maybe"}, "unsure"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(given: Mapping[str, object], named: str) -> None:
    with pytest.raises(ValidationError, match=named):
        TelegramSettings.model_validate(given)
