"""A whole gateway whose only channel is the real one of Discord, in front of a Discord on loopback."""

import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from channels.contract import AnyChannel, ChannelContext
from channels.discord import SPEC
from channels.discord.channel import DiscordChannel
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from core.store.store import Store
from gateway.wiring import Gateway
from gateway.world import World
from tests.contract.discord_rig import Impatient, settings_of
from tests.fakes.access import everywhere
from tests.fakes.discord import BOT, GUILD, DiscordServer
from tests.fakes.discord.world import Accepted
from tests.fakes.gateway import House, opened
from tests.fakes.waiting import until
from tests.fakes.wire import Json, objects_at, text_at

PLACE = ("discord", BOT)
BEGAN = time.monotonic()
CURSOR = "SELECT value FROM cursors WHERE channel = ? AND account = ? AND scope = ?"


class Fast(SystemClock):
    """Ten times as fast, so that a test need not keep to the pace of a real Discord."""

    def now(self) -> int:
        """Milliseconds."""
        return super().now() + 9 * round(1000 * (time.monotonic() - BEGAN))

    async def sleep(self, seconds: float) -> None:
        """A tenth of it."""
        await super().sleep(seconds / 10)


@dataclass(frozen=True, kw_only=True)
class DiscordHouse(House):
    """`people` are let in, `bosses` own it; `more` are further settings of the channel, `ahead` is its clock's."""

    server: DiscordServer
    people: frozenset[str]
    bosses: frozenset[str] = frozenset()
    more: Json = field(default_factory=dict)
    start: Literal["now", "unread"] = "now"
    ahead: int = 0

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """With a policy for these people."""
        world = super().world(store, channels)
        policy = everywhere(PLACE, self.people, self.bosses)
        return replace(world, choices=replace(world.choices, policy=policy))

    def has_begun(self) -> bool:
        """Whether it has seen the guild: what is said from now on counts."""
        return self._cursor(f"began.{GUILD}") is not None

    async def cursor(self, scope: str) -> str | None:
        """What an earlier gateway has stored."""
        return self._cursor(scope)

    def _cursor(self, scope: str) -> str | None:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            row = connection.execute(CURSOR, (*PLACE, scope)).fetchone()
        return None if row is None else str(row[0])

    def bot(self) -> DiscordChannel:
        """Not connected yet."""
        clock = Impatient()
        clock.ahead = self.ahead
        context = ChannelContext(
            account=BOT,
            workspace=self.folder / "workspace",
            clock=clock,
            commands=COMMANDS,
            texts=Texts({}),
            env=lambda name: None,
            cursor=self.cursor,
            uploads=self.uploads,
            start=self.start,
        )
        channel = SPEC.build(SPEC.settings.model_validate(settings_of(self.server, **self.more)), context)
        assert isinstance(channel, DiscordChannel)
        return channel

    def uploads(self, chat: ChatKey) -> Path:
        """Where the files of a chat lie."""
        return self.folder / "workspace" / "uploads" / chat.chat_id


@asynccontextmanager
async def running(house: DiscordHouse) -> AsyncIterator[Gateway]:
    """A gateway that has connected and read what it missed; it leaves Discord at the end of the block."""
    bot = house.bot()
    before = len(house.server.gateway.sessions)
    try:
        async with opened(replace(house, channel=lambda platform: bot)) as gateway:
            await until(lambda: len(house.server.gateway.sessions) > before)
            await house.server.gateway.connected()
            await until(house.has_begun)
            yield gateway
    finally:
        await bot.close()


class Watcher:
    """Looks at what the bot has said. `at` counts how much of it was looked at."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server

    def says(self, where: str) -> list[str]:
        """What stands in a place, newest last."""
        return [text_at(one, "content") for one in self.server.world.shown(where)]

    async def hears(self, where: str, words: str, *, count: int = 1) -> Json:
        """The newest message of the bot there with these words, once there are so many."""

        def found() -> list[Json]:
            return [one for one in self.server.world.shown(where) if words in _plain(text_at(one, "content"))]

        try:
            await until(lambda: len(found()) >= count)
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in {self.says(where)}") from None
        return found()[-1]

    async def card(self, where: str, words: str) -> Json:
        """A message with these words that still has its buttons."""

        def found() -> list[Json]:
            shown = [one for one in self.server.world.shown(where) if objects_at(one, "components")]
            return [one for one in shown if words in _plain(text_at(one, "content"))]

        await until(lambda: bool(found()))
        return found()[-1]

    def accepted(self, *what: str) -> list[Accepted]:
        """Lines of the ledger of these kinds."""
        return [one for one in self.server.world.ledger if one.what in what]

    def buttons(self, message: Json) -> dict[str, str]:
        """Label -> custom id."""
        items = [item for row in objects_at(message, "components") for item in objects_at(row, "components")]
        return {text_at(item, "label"): text_at(item, "custom_id") for item in items}


def _plain(content: str) -> str:
    return content.replace("\\", "")


__all__ = ["BOT", "GUILD", "DiscordHouse", "Watcher", "running"]
