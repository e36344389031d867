"""The terminal as a channel: one window, one session."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from channels.contract import Limits
from channels.terminal import outbound
from channels.terminal.outbound import TerminalPart
from channels.terminal.reader import Reader
from channels.terminal.screen import Taken, Terminal
from core.bus import Accept
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import NotSent, StoreError, Unreachable
from core.domain.message import Dropped, Inbound, Reply
from core.ports import Accepted, Lane

EXIT = "/exit"
STOP = "/stop"
REMEMBERED_KEYS = 10_000

Quiet = Callable[[ChatKey], Awaitable[None]]

LIMITS = Limits(text=0, files=100, file_bytes=1 << 40)


async def unless(ended: asyncio.Event, wait: Callable[[], Awaitable[None]]) -> None:
    """Wait, but no longer than until it has ended."""

    async def waited() -> None:
        await wait()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(waited()), group.create_task(ended.wait())]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


class Shown:
    """The replies on this screen, each once. When it takes no more, `closed` is set and `lost` is its error."""

    def __init__(self, terminal: Terminal) -> None:
        self.closed = asyncio.Event()
        self.lost: OSError | None = None
        self._terminal = terminal
        self._keys: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    async def show(self, part: TerminalPart, key: str) -> None:
        """Show it and remember its key, at the cost of the oldest. Raises OSError when the terminal is gone.

        That a reader has seen enough is no news; any other reason is said, once.
        """
        try:
            await self._terminal.show(part)
        except OSError as exc:
            self.closed.set()
            if self.lost is None and not isinstance(exc, BrokenPipeError):
                await self._terminal.notice(f"The output cannot be written: {exc.strerror}. The next window shows it.")
            self.lost = exc
            raise
        self._keys[key] = None
        if len(self._keys) > REMEMBERED_KEYS:
            self._keys.popitem(last=False)


class TerminalChannel:
    """Says what is typed and shows what is answered.

    `failed` becomes true when something went wrong here that the store cannot know: a message that was not taken,
    an output that takes nothing more.
    """

    def __init__(self, *, reader: Reader, terminal: Terminal) -> None:
        self.chat = reader.chat
        self.terminal = terminal
        self.failed = False
        self.shown = Shown(terminal)
        self._reader = reader
        self._quiet: Quiet | None = None
        self._unanswered = 0

    @property
    def limits(self) -> Limits:
        """A reply of any length in one part; drafts only where a person sees them come and go."""
        return replace(LIMITS, drafts=self.terminal.shows_drafts)

    @property
    def lane(self) -> Lane:
        """The deliveries of this window's session, and no others."""
        return Lane(channel=self.chat.channel, account=self.chat.account, chat_id=self.chat.chat_id)

    def answer_in_step(self, quiet: Quiet) -> None:
        """For an input without a person behind it: take each message only when the one before is dealt with.

        `quiet` returns when nothing of the chat runs, waits its turn, or waits to be shown; a question to the person
        counts as dealt with, so that the next line answers it. Since the last message is waited for too, listen()
        ends when all is answered. Once, before listen().
        """
        self._quiet = quiet

    async def listen(self, accept: Accept) -> None:
        """Until the input ends, or `/exit`, or nobody reads the output any more."""

        async def take(line: str) -> Taken:
            return await self._take(line, accept)

        if not await self.terminal.read(take, lambda: self._unanswered > 0):
            self.failed = True

    def render(self, reply: Reply) -> Sequence[TerminalPart]:
        """Always one part."""
        return outbound.render(reply)

    async def send(self, chat: ChatKey, part: TerminalPart, key: str) -> Receipt:
        """Shows the part, once however often it is sent.

        Raises NotSent when the output takes nothing, and Unreachable for a chat of another window.
        """
        if not self.lane.serves(chat):
            raise Unreachable(f"this window shows the session {self.chat.chat_id}; open {chat.chat_id} with --session")
        if key not in self.shown:
            try:
                await self.shown.show(part, key)
            except OSError as exc:
                self.failed = True
                raise NotSent(f"this output takes nothing more ({exc}); the next window shows it") from exc
            self._unanswered = max(0, self._unanswered - 1)
        return Receipt(message_id=key)

    async def settle(self, chat: ChatKey, part: TerminalPart, key: str) -> Settled:
        """A window knows what it has shown; what another one showed is not on this screen."""
        return Settled.SENT if key in self.shown else Settled.NOT_SENT

    def draft(self, chat: ChatKey, text: str) -> None:
        """All of the answer so far, until the reply takes its place."""
        if self.lane.serves(chat):
            self.terminal.draft(text)

    def progress(self, chat: ChatKey, text: str) -> None:
        """What is being done; an empty text takes the line away."""
        if self.lane.serves(chat):
            self.terminal.progress(text)

    async def _take(self, line: str, accept: Accept) -> Taken:
        if line.strip().lower() == EXIT:
            return Taken.LAST
        event = self._reader.read(line)
        try:
            accepted = await accept(event)
        except StoreError as exc:
            self.failed = True
            await self.terminal.notice(f"This message was not stored: {exc}")
            return Taken.REFUSED
        await self._tell(event, accepted)
        if self._quiet is not None and isinstance(event, Inbound):
            await unless(self.shown.closed, partial(self._quiet, self.chat))
        return Taken.LAST if self.shown.closed.is_set() else Taken.STORED

    async def _tell(self, event: Inbound | Dropped, accepted: Accepted) -> None:
        if isinstance(event, Dropped):
            if event.reason == "too_long":
                self.failed = True
                limit = f"{self._reader.limit:,}"
                await self.terminal.notice(f"This message was not taken: it is longer than {limit} characters.")
            return
        if event.content == STOP:
            self._unanswered = 0
        elif accepted.replies or (accepted.dropped is None and not accepted.duplicate):
            self._unanswered += 1
        if accepted.queued_before:
            await self.terminal.notice(self._reader.texts.say("queued", n=accepted.queued_before))
