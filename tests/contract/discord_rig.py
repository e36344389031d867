"""The Discord channel in front of a Discord on loopback."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from channels.contract import ChannelContext
from channels.discord import SPEC
from channels.discord.channel import DiscordChannel
from channels.discord.outbound import DiscordPart
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from tests.fakes.discord import BOT, GUILD, TOKEN, DiscordServer
from tests.fakes.discord.refused import Refused, rate_limited
from tests.fakes.waiting import until
from tests.fakes.wire import Json


class Impatient(SystemClock):
    """Nobody waits long; `waits` is what was waited for, `ahead` how many milliseconds the time is ahead."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.ahead = 0

    def now(self) -> int:
        """Milliseconds."""
        return super().now() + self.ahead

    async def sleep(self, seconds: float) -> None:
        """A moment instead of the seconds."""
        self.waits.append(seconds)
        await asyncio.sleep(0.01)


def settings_of(server: DiscordServer, **more: object) -> Json:
    """A bot that speaks to this server."""
    return {"bot_token": TOKEN, "api_url": server.api_url, "gateway_url": server.gateway_url, **more}


class DiscordRig:
    """A bot, and Ann in a DM with it, where it read everything so far."""

    def __init__(self, server: DiscordServer, workspace: Path) -> None:
        self.server = server
        self.clock = Impatient()
        self.ann = server.world.person("ann")
        self.room = server.world.direct(self.ann)
        self.chat = ChatKey(channel="discord", account=BOT, chat_id=self.room)
        self.cursors = {f"began.{GUILD}": GUILD, "dm.0": self.room, f"messages.{self.room}": self.room}
        self.token = TOKEN
        self.channel = self.built(workspace)
        self._doings: asyncio.Queue[Callable[[], Awaitable[object]]] = asyncio.Queue()

    def built(self, workspace: Path) -> DiscordChannel:
        """A bot of a new process."""
        settings = SPEC.settings.model_validate(settings_of(self.server, bot_token=self.token))
        channel = SPEC.build(settings, self.context(workspace))
        assert isinstance(channel, DiscordChannel)
        return channel

    def context(self, workspace: Path) -> ChannelContext:
        """What it is built with."""
        return ChannelContext(
            account=BOT,
            workspace=workspace,
            clock=self.clock,
            commands=COMMANDS,
            texts=Texts({}),
            env=lambda name: None,
            cursor=self._cursor,
        )

    async def _cursor(self, scope: str) -> str | None:
        return self.cursors.get(scope)

    async def does(self) -> None:
        """Does what is asked for, one after the other, until cancelled."""
        while True:
            doing = await self._doings.get()
            await doing()

    def says(self, text: str) -> None:
        """By Ann."""
        self._doings.put_nowait(lambda: self.server.people.says(self.ann, self.room, text))

    def babbles(self) -> None:
        """A message without anything that makes it one."""
        self._doings.put_nowait(partial(self._babbles, {"content": 7}))

    async def _babbles(self, told: Json) -> None:
        # Whatever stands in the room when a connection begins is read back before the gateway's first event.
        await until(lambda: bool(self.server.asked("GET", f"/channels/{self.room}/messages")))
        await self.server.gateway.tell("MESSAGE_CREATE", told)

    def echoes(self, text: str) -> None:
        """Under the bot's own name."""
        self._doings.put_nowait(lambda: self.server.people.says(BOT, self.room, text))

    def text_of(self, part: DiscordPart) -> str:
        """Characters."""
        return part["text"]

    async def left(self, wanted: str) -> str:
        """What was accepted."""
        await until(lambda: wanted in self._ledger())
        return self._ledger()

    def faults(self) -> list[Callable[[], None]]:
        """Every way to say no, and both ways to say nothing."""
        faults, route = self.server.faults, ("POST", "/messages")
        refusals = [
            rate_limited(60.0),
            rate_limited(60.0, everywhere=True),
            Refused(403, 50001, "Missing Access"),
            Refused(400, 50035, "Invalid Form Body"),
            Refused(400, 40058, "Cannot message this thread until after the post author has sent an initial message"),
            Refused(500, 0, "Internal Server Error"),
        ]
        cuts = [partial(faults.cut, *route, after=after) for after in (True, False)]
        return [*(partial(faults.refuse, *route, refused) for refused in refusals), *cuts]

    async def knows_that_it_was_not_stored(self) -> bool:
        """It is kept, and offered again after a pause."""
        await until(lambda: bool(self.clock.waits))
        return True

    def _ledger(self) -> str:
        return "".join(f"{one.content}\n" for one in self.server.world.ledger)


@asynccontextmanager
async def discord() -> AsyncIterator[DiscordRig]:
    """A bot that nobody has connected yet."""
    with TemporaryDirectory() as folder:
        async with DiscordServer() as server, asyncio.TaskGroup() as group:
            rig = DiscordRig(server, Path(folder))
            doing = group.create_task(rig.does())
            try:
                yield rig
            finally:
                doing.cancel()
                await rig.channel.close()
