"""A bot of ours against the Bot API on loopback, under the knobs of the suite."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from channels.telegram.outbound import TelegramPart, shown
from tests.fakes.platform import Changes
from tests.fakes.telegram import BOT, TelegramServer
from tests.fakes.telegram_bot import chat, connected
from tests.fakes.waiting import until

ANNA = 42

Deed = Callable[[], Awaitable[object]]


class TelegramRig:
    """People do one thing after the other; the deeds of the knobs are done by `works`."""

    def __init__(self, server: TelegramServer, channel: object) -> None:
        self.channel = channel
        self.chat = chat(ANNA)
        self._server = server
        self._deeds: asyncio.Queue[Deed] = asyncio.Queue()
        self._changes = Changes()

    async def works(self) -> None:
        """Until cancelled."""
        while True:
            deed = await self._deeds.get()
            await deed()

    def says(self, text: str) -> None:
        """In her private chat."""
        self._deeds.put_nowait(partial(self._server.people.says, ANNA, ANNA, text))

    def babbles(self) -> None:
        """A message without a chat."""
        self._deeds.put_nowait(partial(self._server.updates.add, "message", {"message_id": 7}))

    def echoes(self, text: str) -> None:
        """As an update in the bot's own name."""
        world = self._server.world
        message = world.new_message(world.chats[ANNA], BOT, text=text)
        self._deeds.put_nowait(partial(self._server.updates.add, "message", message))

    def text_of(self, part: TelegramPart) -> str:
        """Without its tags, which Telegram does not count."""
        return shown(part["text"])

    async def left(self, wanted: str) -> str:
        """The ledger."""
        await until(lambda: wanted in self._ledger(), within=5)
        return self._ledger()

    def faults(self) -> list[Callable[[], None]]:
        """Refusals, cuts and the wish for quiet, which lasts."""
        faults = self._server.faults
        return [
            partial(faults.refuse, "sendMessage", 400, "Bad Request: can't parse entities"),
            partial(faults.refuse, "sendMessage", 403, "Forbidden: bot was blocked by the user"),
            partial(faults.refuse, "sendMessage", 400, "Bad Request: chat not found"),
            partial(faults.refuse, "sendMessage", 401, "Unauthorized"),
            partial(faults.refuse, "sendMessage", 500, "Internal Server Error"),
            partial(faults.cut, "sendMessage", after=False),
            partial(faults.cut, "sendMessage", after=True),
            partial(faults.limit, "sendMessage", 30),
        ]

    async def knows_that_it_was_not_stored(self) -> bool:
        """It is handed out until an offset confirms it."""
        return bool(self._server.updates.waiting())

    def acknowledged(self) -> int:
        """What offsets have confirmed."""
        return len(self._server.updates.taken)

    def redelivers(self) -> None:
        """What is open comes with every poll."""
        self._deeds.put_nowait(self._server.updates.cut)

    def _ledger(self) -> str:
        return "".join(f"{sent.text}\n" for sent in self._server.world.ledger)


@asynccontextmanager
async def opened() -> AsyncIterator[TelegramRig]:
    """Anna has started the bot; the workspace holds the file that the suite sends."""
    with TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "data").mkdir()
        (workspace / "data" / "a.pdf").write_bytes(b"%PDF-1.4 a plan")
        async with TelegramServer() as server, connected(server, workspace) as channel:
            server.world.person(ANNA, "Anna")
            rig = TelegramRig(server, channel)
            async with asyncio.TaskGroup() as group:
                working = group.create_task(rig.works())
                yield rig
                working.cancel()
