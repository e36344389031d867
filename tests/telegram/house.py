"""A whole gateway whose only channel is the real one of Telegram, in front of a Bot API on loopback."""

import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace

from channels.contract import AnyChannel
from channels.telegram.channel import TelegramChannel
from core.runtime.ambient import SystemClock
from core.store.store import Store
from gateway.wiring import Gateway
from gateway.world import World
from tests.fakes.access import everywhere
from tests.fakes.gateway import House, opened
from tests.fakes.telegram import TelegramServer
from tests.fakes.telegram.world import Accepted
from tests.fakes.telegram_bot import ACCOUNT, bot_on
from tests.fakes.waiting import until
from tests.fakes.wire import Json, at, text_at

PLACE = ("telegram", ACCOUNT)
BEGAN = time.monotonic()
CURSOR = "SELECT value FROM cursors WHERE channel = ? AND account = ? AND scope = ?"
ANNA, BEN, OLGA, GROUP, FORUM = 42, 43, 44, -1001, -1002


class Fast(SystemClock):
    """Ten times as fast, so that a test need not keep to the pace of the real Telegram."""

    def now(self) -> int:
        """Milliseconds."""
        return super().now() + 9 * round(1000 * (time.monotonic() - BEGAN))

    async def sleep(self, seconds: float) -> None:
        """A tenth of it."""
        await super().sleep(seconds / 10)


@dataclass(frozen=True, kw_only=True)
class TelegramHouse(House):
    """Anna and Ben are let in, Olga owns the bot; `more` are further settings of the channel."""

    server: TelegramServer
    more: Json = field(default_factory=dict)

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """With a policy for these people."""
        world = super().world(store, channels)
        policy = everywhere(PLACE, frozenset({str(ANNA), str(BEN)}), frozenset({str(OLGA)}))
        return replace(world, choices=replace(world.choices, policy=policy))

    async def cursor(self, scope: str) -> str | None:
        """What an earlier gateway has stored."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            row = connection.execute(CURSOR, (*PLACE, scope)).fetchone()
        return None if row is None else str(row[0])

    def bot(self) -> TelegramChannel:
        """Not connected yet."""
        return bot_on(self.server, self.folder / "workspace", Fast(), cursor=self.cursor, settings=self.more)


@asynccontextmanager
async def running(house: TelegramHouse) -> AsyncIterator[Gateway]:
    """A gateway that polls; it ends with the block."""
    bot = house.bot()
    before = len(house.server.updates.offsets)
    try:
        async with opened(replace(house, channel=lambda platform: bot)) as gateway:
            await until(lambda: len(house.server.updates.offsets) > before)
            yield gateway
    finally:
        await bot.close()


class Watcher:
    """Looks at what the bot has said."""

    def __init__(self, server: TelegramServer) -> None:
        self.server = server

    async def hears(self, chat: int, words: str, *, count: int = 1) -> int:
        """The id of the newest message of the bot with these words, once there are so many."""

        def found() -> list[int]:
            shown = self.server.world.chats[chat].messages.items()
            return [number for number, one in shown if _by_bot(one) and words in _text(one)]

        try:
            await until(lambda: len(found()) >= count)
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in {self.server.world.shown(chat)}") from None
        return found()[-1]

    async def card(self, chat: int, words: str) -> int:
        """A message with these words that still has its buttons."""

        def found() -> list[int]:
            shown = self.server.world.chats[chat].messages.items()
            return [number for number, one in shown if words in _text(one) and at(one, "reply_markup")]

        await until(lambda: bool(found()))
        return found()[-1]

    async def alert(self, words: str) -> Accepted:
        """What somebody who pressed a button was told in a window."""

        def found() -> list[Accepted]:
            return [one for one in self.server.world.ledger if "allback" in one.method and words in one.text]

        await until(lambda: bool(found()))
        return found()[-1]

    def new_messages(self) -> list[Accepted]:
        """Every message that the platform took, edits and presses left out."""
        sent = ("sendmessage", "senddocument", "sendphoto")
        return [one for one in self.server.world.ledger if one.method.lower() in sent]


def _by_bot(message: Json) -> bool:
    return text_at(message, "from", "id") == ACCOUNT


def _text(message: Json) -> str:
    return text_at(message, "text") or text_at(message, "caption")
