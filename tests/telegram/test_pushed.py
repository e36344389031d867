"""The whole way by webhook: Telegram pushes, the web server of the gateway hands on, the bot answers."""

import asyncio
from dataclasses import replace

from channels.contract import Serves
from core.models.scripted import ScriptedModel, says
from gateway.web.routes import Routes
from gateway.web.server import Bind, Binds, listening
from tests.fakes.gateway import opened
from tests.fakes.telegram import SECRET_HEADER, TelegramServer
from tests.fakes.waiting import until
from tests.fakes.wire import Json
from tests.telegram.house import ANNA, TelegramHouse, Watcher

SECRET = "not-a-real-secret-but-long-enough_0"


async def nothing_wrong() -> list[str]:
    """The health of it."""
    return []


async def test_what_telegram_pushes_is_answered_and_strangers_are_refused(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Hello."), says("Hello again."))
    found: dict[tuple[str, str], Serves] = {}
    routes = Routes(lambda name, account: found.get((name, account)), nothing_wrong)
    async with listening(Binds(own=Bind(host="127.0.0.1", port=0)), routes) as (port,), server.pushing():
        hook = f"http://127.0.0.1:{port}/channels/telegram/default"
        more: Json = {"mode": "webhook", "webhook_url": hook, "webhook_secret": SECRET}
        bot = replace(house, more=more).bot()
        found["telegram", "default"] = bot
        await server.people.says(ANNA, ANNA, "before anybody listened")
        try:
            async with opened(replace(house, channel=lambda platform: bot)):
                await watcher.hears(ANNA, "Hello.")
                await server.people.says(ANNA, ANNA, "and after")
                await watcher.hears(ANNA, "Hello again.")
                await until(lambda: not server.updates.waiting())
                assert {one.status for one in server.posts} == {200}
                assert await _stranger(port) == b"HTTP/1.1 403 Forbidden"
        finally:
            await bot.close()
    assert not server.asked("getUpdates")


async def _stranger(port: int) -> bytes:
    """Announces 30 MB under a secret that is one character off."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    header = f"{SECRET_HEADER}: {SECRET[:-1]}1\r\nContent-Length: 31457280\r\n\r\n"
    writer.write(f"POST /channels/telegram/default HTTP/1.1\r\nHost: x\r\n{header}".encode())
    line = await reader.readline()
    await reader.read()
    writer.close()
    return line.strip()
