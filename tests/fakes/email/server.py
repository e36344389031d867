"""Both servers of a mail provider, in this process."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from tests.fakes.email.imap import ImapSession
from tests.fakes.email.postbox import Box, Kept
from tests.fakes.email.smtp import SmtpSession

USER = "assistant@example.com"
PASSWORD = "not-a-real-password"


@dataclass(slots=True, kw_only=True)
class Faults:
    """What goes wrong next. `refusals` are by command; `cuts` say for the next mails when the connection breaks:
    before or after the server has taken it.
    """

    refusals: dict[str, deque[str]] = field(default_factory=dict)
    cuts: deque[str] = field(default_factory=deque)

    def refuse(self, command: str, answer: str) -> None:
        """The next command of this name gets this answer."""
        self.refusals.setdefault(command, deque()).append(answer)

    def refusal(self, command: str) -> str | None:
        """And is used up by it."""
        waiting = self.refusals.get(command)
        return waiting.popleft() if waiting else None

    def cut(self) -> str | None:
        """Used up by the mail that it is for."""
        return self.cuts.popleft() if self.cuts else None


class MailServer:
    """`files_sent`: what is accepted lies in the folder of sent mail at once, as big providers do it."""

    def __init__(self, *, files_sent: bool = False, clock: Callable[[], int] = lambda: 0) -> None:
        self.box = Box()
        self.faults = Faults()
        self.files_sent = files_sent
        self._clock = clock
        self.commands: list[str] = []
        self._changed = asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._writers: set[asyncio.StreamWriter] = set()
        self._sessions: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        for serve in (self._imap, self._smtp):
            self._servers.append(await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**26))
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        self.drop_connections()
        if self._sessions:
            await asyncio.wait(self._sessions)

    @property
    def plan(self) -> Faults:
        """What goes wrong next."""
        return self.faults

    @property
    def imap_port(self) -> int:
        """Of the mailbox."""
        return int(self._servers[0].sockets[0].getsockname()[1])

    @property
    def smtp_port(self) -> int:
        """Of the submission."""
        return int(self._servers[1].sockets[0].getsockname()[1])

    def clock(self) -> int:
        """Milliseconds UTC."""
        return self._clock()

    def arrives(self, raw: bytes, folder: str = "INBOX", uid: int | None = None) -> Kept:
        """A mail is delivered, and whoever is idle is told."""
        kept = self.box.folders[folder].add(raw, self._clock(), uid=uid)
        self.tell()
        return kept

    def tell(self) -> None:
        """Something has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self) -> None:
        """Until something does."""
        await self._changed.wait()

    def drop_connections(self) -> None:
        """All of them, without a word."""
        for writer in list(self._writers):
            writer.transport.abort()
        self.tell()

    def accepts(self, sender: str, recipients: tuple[str, ...], raw: bytes) -> None:
        """Takes a mail for delivery."""
        from_us = self.box.accepted(sender, recipients, raw)
        if self.files_sent:
            self.box.sent.add(from_us, self._clock(), "\\Seen")

    async def _imap(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve(writer, ImapSession(self, reader, writer).run)

    async def _smtp(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve(writer, SmtpSession(self, reader, writer).run)

    async def _serve(self, writer: asyncio.StreamWriter, run: Callable[[], Awaitable[None]]) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        self._writers.add(writer)
        try:
            with suppress(OSError, EOFError):
                await run()
        finally:
            self._writers.discard(writer)
            self._sessions.discard(task)
            writer.close()
