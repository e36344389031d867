"""The control lane: commands are performed beside the running turn, and closed by their reply."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import structlog

from core.domain.errors import StoreError
from core.domain.message import Reply, says
from core.domain.texts import Texts
from core.ports import Chance, Inbox, Outbox, PendingCommand, Waits, Wakeup
from core.runtime.sender import Sender
from core.runtime.supervised import BROKEN, supervised

log = structlog.get_logger(__name__)

POLL_S = 1.0


class Performer(Protocol):
    """Performs one command. Runs again after a crash, so its effect must be the same the second time."""

    async def __call__(self, command: PendingCommand) -> Reply:
        """What the person is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Performs every committed command, oldest first, and lets the time of questions run out."""

    inbox: Inbox
    outbox: Outbox
    performers: Mapping[str, Performer]
    waits: Waits
    sender: Sender
    work: Wakeup
    wakeup: Wakeup
    chance: Chance
    texts: Texts

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            with suppress(StoreError):
                for command in await self.inbox.commands():
                    await self._perform(command)
                for chat_row, chat in await self.waits.tick():
                    self.sender.wake(chat_row, chat)
                    self.work.set()
            await self.wakeup.wait(POLL_S)

    async def _perform(self, command: PendingCommand) -> None:
        performer = self.performers.get(command.call.name)
        reply = await supervised(performer(command), "command.broke") if performer else BROKEN
        if reply is BROKEN:
            reply = says(self.texts.say("command_broke", command=f"/{command.call.name}"))
        await self.outbox.answer(command, reply, key=self.chance.key())
        log.info("command.done", inbound=command.inbound, command=command.call.name)
        self.sender.wake(command.chat_row, command.chat)
