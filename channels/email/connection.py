"""A connection to the mailbox: every wait has an end, and a lost connection ends every wait."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

import aioimaplib

from channels.email.credentials import Credentials

T = TypeVar("T")
WITHIN_S = 30.0


class Lost(Exception):
    """The connection is gone, or did not answer in time."""


class Refused(Exception):
    """The server said no."""


class Connection:
    """To a mailbox. Everything raises Lost or Refused."""

    def __init__(self, client: aioimaplib.IMAP4) -> None:
        self.client = client
        self._timeout: asyncio.Timeout | None = None
        self._is_lost = False
        client.protocol.conn_lost_cb = self._lost

    def _lost(self, error: Exception | None) -> None:
        self._is_lost = True
        if self._timeout is not None:
            with suppress(RuntimeError):
                self._timeout.reschedule(0)

    async def _do(self, call: Awaitable[T], within: float = WITHIN_S) -> T:
        try:
            async with asyncio.timeout(within) as self._timeout:
                if self._is_lost:
                    self._timeout.reschedule(0)
                return await call
        except (TimeoutError, OSError, EOFError, aioimaplib.AioImapException, AttributeError) as error:
            raise Lost(f"the mailbox does not answer: {type(error).__name__}") from error
        finally:
            self._timeout = None

    async def command(self, call: Awaitable[aioimaplib.Response], within: float = WITHIN_S) -> list[bytes]:
        response = await self._do(call, within)
        if response.result != "OK":
            said = b" ".join(bytes(line) for line in response.lines[-1:]).decode("utf-8", "replace")
            raise Refused(f"{response.result} {said}"[:300])
        return list(response.lines)

    async def sign_in(self, credentials: Credentials) -> None:
        """By password or token."""
        await self._do(self.client.wait_hello_from_server())
        secret = await credentials.secret()
        if credentials.by_token:
            await self.command(self.client.xoauth2(credentials.user, secret))
        else:
            await self.command(self.client.login(quoted(credentials.user), secret))

    def has(self, ability: str) -> bool:
        """Whether the server offers it."""
        return bool(self.client.has_capability(ability))

    async def idle(self, seconds: float) -> None:
        """Until something happens in the open folder, or so many seconds have passed."""
        ends = await self._do(self.client.idle_start(seconds))
        with suppress(asyncio.TimeoutError):
            async with asyncio.timeout(seconds):
                await self._do(self._pushed(), seconds + WITHIN_S)
        if self.client.has_pending_idle():
            self.client.idle_done()
            await self._do(ends)

    async def _pushed(self) -> None:
        """What comes that is no sign of life only."""
        while True:
            pushed = await self.client.wait_server_push(WITHIN_S + 1_500)
            if pushed == aioimaplib.STOP_WAIT_SERVER_PUSH or any(
                b"EXISTS" in line or b"BYE" in line for line in pushed
            ):
                return

    async def close(self) -> None:
        """Takes leave if there is still somebody to hear it."""
        if not self._is_lost and not self.client.has_pending_idle():
            with suppress(Lost, Refused):
                await self.command(self.client.logout(), 2.0)
        transport = self.client.protocol.transport
        if transport is not None:
            transport.close()


def quoted(text: str) -> str:
    """A string that cannot end its command. Raises ValueError for one that tries to."""
    if not text.isascii() or not text.isprintable():
        raise ValueError("a line break or another control character cannot stand in a command")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
