"""Stands where the runtime stands: stores what a channel accepts, and answers it in order."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from channels.contract import ChannelContext
from channels.terminal.channel import TerminalChannel
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.errors import SendError
from core.domain.message import Dropped, Inbound, Markdown, Reply
from core.domain.texts import Texts
from core.ports import Accepted

NOON = 1_772_366_400_000


class StillClock:
    """It is always noon."""

    def now(self) -> int:
        """The same every time."""
        return NOON

    async def sleep(self, seconds: float) -> None:
        """Nothing here waits by the clock."""
        raise AssertionError("the terminal does not wait by the clock")


def context(*, workspace: Path = Path("/w"), env: Callable[[str], str | None] = lambda name: None) -> ChannelContext:
    """A channel's context for the user ann."""
    return ChannelContext(
        account="ann", workspace=workspace, clock=StillClock(), commands=COMMANDS, texts=Texts({}), env=env
    )


def echo(text: str) -> Reply:
    """The words back, as Markdown."""
    return Reply(fragments=(Markdown(source=f"you said {text}"),))


@dataclass(kw_only=True)
class Desk:
    """`answer` gives the reply to each message; None leaves it open."""

    answer: Callable[[str], Reply | None] = echo
    events: list[Inbound | Dropped] = field(default_factory=list)
    refused: list[SendError] = field(default_factory=list)
    _open: asyncio.Queue[tuple[int, Reply]] = field(default_factory=asyncio.Queue)

    @property
    def said(self) -> list[str]:
        """The messages, in order."""
        return [event.content for event in self.events if isinstance(event, Inbound)]

    async def accept(self, event: Inbound | Dropped) -> Accepted:
        """Stored at once."""
        self.events.append(event)
        number = len(self.events)
        if isinstance(event, Dropped):
            return Accepted(inbound=number, chat_row=1, dropped=event.reason)
        reply = self.answer(event.content)
        before = self._open.qsize()
        if reply is not None:
            self._open.put_nowait((number, reply))
        return Accepted(inbound=number, chat_row=1, queued_before=before)

    async def serve(self, channel: TerminalChannel) -> None:
        """Sends the answers until cancelled."""
        while True:
            number, reply = await self._open.get()
            try:
                for place, part in enumerate(channel.render(reply)):
                    await channel.send(channel.chat, part, f"k{number}.{place}")
            except SendError as exc:
                self.refused.append(exc)
            self._open.task_done()

    async def quiet(self, chat: ChatKey) -> None:
        """Returns when every answer is out."""
        await self._open.join()

    async def run(self, channel: TerminalChannel) -> None:
        """Listens and answers until the channel's input ends."""
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(self.serve(channel))
            await channel.listen(self.accept)
            serving.cancel()
