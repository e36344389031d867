"""A whole gateway whose only channel is the real one of Slack, in front of a Slack on loopback."""

import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from channels.contract import AnyChannel, ChannelContext
from channels.slack import SPEC
from channels.slack.channel import SlackChannel
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from core.store.store import Store
from gateway.wiring import Gateway
from gateway.world import World
from tests.contract.slack_rig import posting, settings_of
from tests.fakes.access import everywhere
from tests.fakes.gateway import House, opened
from tests.fakes.slack import TEAM, SlackServer
from tests.fakes.waiting import until
from tests.fakes.wire import Json, objects_at, text_at

PLACE = ("slack", TEAM)
BEGAN = time.monotonic()
CURSOR = "SELECT value FROM cursors WHERE channel = ? AND account = ? AND scope = ?"


class Fast(SystemClock):
    """Ten times as fast, so that a test need not keep to the pace of a real Slack."""

    def now(self) -> int:
        """Milliseconds."""
        return super().now() + 9 * round(1000 * (time.monotonic() - BEGAN))

    async def sleep(self, seconds: float) -> None:
        """A tenth of it."""
        await super().sleep(seconds / 10)


@dataclass(frozen=True, kw_only=True)
class SlackHouse(House):
    """`people` are let in, `bosses` own it; `more` are further settings of the channel."""

    server: SlackServer
    people: frozenset[str]
    bosses: frozenset[str] = frozenset()
    more: Json = field(default_factory=dict)
    bots: bool = False

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """With a policy for these people."""
        world = super().world(store, channels)
        policy = everywhere(PLACE, self.people, self.bosses)
        return replace(world, choices=replace(world.choices, policy=policy))

    async def cursor(self, scope: str) -> str | None:
        """What an earlier gateway has stored."""
        rows = self.rows(CURSOR, *PLACE, scope)
        return str(rows[0][0]) if rows else None

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """What the store holds."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def context(self) -> ChannelContext:
        """What the channel is built with."""
        return ChannelContext(
            account=TEAM,
            workspace=self.folder / "workspace",
            clock=SystemClock(),
            commands=COMMANDS,
            texts=Texts({}),
            env=lambda name: None,
            bots=self.bots,
            cursor=self.cursor,
            uploads=self.uploads,
        )

    def app(self) -> SlackChannel:
        """Not connected yet."""
        channel = SPEC.build(SPEC.settings.model_validate(settings_of(self.server, **self.more)), self.context())
        assert isinstance(channel, SlackChannel)
        return channel

    def uploads(self, chat: ChatKey) -> Path:
        """Where the files of a chat lie."""
        return self.folder / "workspace" / "uploads" / chat.chat_id


@asynccontextmanager
async def running(house: SlackHouse) -> AsyncIterator[Gateway]:
    """A gateway that has connected and read what it missed; it leaves Slack at the end of the block."""
    app, server = house.app(), house.server
    listed = len(server.asked("users.conversations"))
    first = not house.rows("SELECT 1 FROM cursors WHERE scope = 'connected'")
    posts = posting(server, app) if app.serves else nullcontext()
    async with opened(replace(house, channel=lambda platform: app)) as gateway, posts:
        if not app.serves:
            server.signed = None
            await server.sockets.connected(int(str(house.more.get("sockets", 2))))
        if first:
            await until(lambda: bool(house.rows("SELECT 1 FROM cursors WHERE scope = 'connected'")))
        else:
            await until(lambda: len(server.asked("users.conversations")) >= listed + 4)
        yield gateway


class Watcher:
    """Looks at what the app has said."""

    def __init__(self, server: SlackServer) -> None:
        self.server = server

    def says(self, channel: str, thread: str = "") -> list[str]:
        """What stands there now, oldest first."""
        return [text_at(one, "text") for one in self._shown(channel, thread)]

    async def hears(self, channel: str, words: str, *, thread: str = "", count: int = 1) -> Json:
        """The newest message of the app with these words, once there are so many."""

        def found() -> list[Json]:
            return [one for one in self._shown(channel, thread) if words in text_at(one, "text")]

        try:
            await until(lambda: len(found()) >= count, within=10)
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in {self.says(channel, thread)}") from None
        return found()[-1]

    async def card(self, channel: str, words: str, *, thread: str = "") -> Json:
        """A message with these words that has buttons."""

        def found() -> list[Json]:
            return [one for one in self._shown(channel, thread) if words in text_at(one, "text") and self.buttons(one)]

        try:
            await until(lambda: bool(found()), within=10)
        except TimeoutError:
            raise AssertionError(f"no card with {words!r}: {self.says(channel, thread)}") from None
        return found()[-1]

    def buttons(self, message: Json) -> dict[str, str]:
        """Label -> action id."""
        items = [item for block in objects_at(message, "blocks") for item in objects_at(block, "elements")]
        return {text_at(item, "text", "text"): text_at(item, "action_id") for item in items}

    def accepted(self, method: str) -> list[Json]:
        """What the platform took by this method."""
        return [one.message for one in self.server.world.ledger if one.method == method]

    def _shown(self, channel: str, thread: str) -> list[Json]:
        return [one for one in self.server.world.shown(channel) if text_at(one, "thread_ts") == thread]
