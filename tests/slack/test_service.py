"""`parley run` with an app, as its settings file has it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession

from core.domain.errors import SettingsError
from gateway.service import Outside, serve
from gateway.settings import load
from gateway.wiring import place_of
from tests.fakes.slack import APP_TOKEN, BOT_TOKEN, SECRET, SignedPosts, SlackServer
from tests.fakes.waiting import until
from tests.slack.conftest import ANNA, DIRECT
from tests.slack.house import Watcher


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def written(home: Path, server: SlackServer, more: str) -> Path:
    """A home with this settings file."""
    home.mkdir(mode=0o700)
    file = home / "parley.toml"
    channel = f'[channels.slack]\nbot_token = "{BOT_TOKEN}"\napi_url = "{server.api_url}"\nallow_from = ["{ANNA}"]\n'
    file.write_text(channel + more)
    file.chmod(0o600)
    return home


@asynccontextmanager
async def service(home: Path) -> AsyncIterator[None]:
    """While the block lasts."""
    settings = load(home, {})
    async with asyncio.TaskGroup() as group:
        task = group.create_task(serve(settings, place_of(settings, window=False), Outside(read=lambda: settings)))
        yield
        task.cancel()


async def test_events_by_sockets_are_answered(tmp_path: Path, server: SlackServer, watcher: Watcher) -> None:
    home = written(tmp_path / "home", server, f'app_token = "{APP_TOKEN}"\n')
    async with service(home):
        await server.sockets.connected(2)
        await server.people.says(ANNA, DIRECT, "!whoami")
        await watcher.hears(DIRECT, ANNA)


async def test_events_by_posts_are_answered_and_health_is_told(
    tmp_path: Path, server: SlackServer, watcher: Watcher
) -> None:
    own, public = free_port(), free_port()
    web = f'[web]\nbind = "127.0.0.1:{own}"\npublic_bind = "127.0.0.1:{public}"\n'
    home = written(tmp_path / "home", server, f'mode = "http"\nsigning_secret = "{SECRET}"\n{web}')
    server.signed = SignedPosts(f"http://127.0.0.1:{public}/channels/slack/default", waits=(0.2, 0.5, 1.0))
    async with service(home), ClientSession() as session:
        await until(lambda: bool(server.asked("auth.test")))
        await server.people.says(ANNA, DIRECT, "!whoami")
        await watcher.hears(DIRECT, ANNA)
        async with session.get(f"http://127.0.0.1:{own}/health") as answer:
            assert (answer.status, (await answer.json())["status"]) == (200, "ok")
        async with session.get(f"http://127.0.0.1:{public}/health") as answer:
            assert answer.status == 404


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (f'mode = "http"\nsigning_secret = "{SECRET}"\n', "public_bind"),
        ('mode = "http"\n', "SLACK_SIGNING_SECRET"),
        (f'app_token = "{APP_TOKEN}"\n[web]\nbind = "0.0.0.0:1"\n', "loopback"),
    ],
)
async def test_what_is_missing_is_named(tmp_path: Path, server: SlackServer, more: str, complaint: str) -> None:
    settings = load(written(tmp_path / "home", server, more), {})
    with pytest.raises(SettingsError, match=complaint):
        await asyncio.wait_for(serve(settings, place_of(settings, window=False), Outside(read=lambda: settings)), 10)
