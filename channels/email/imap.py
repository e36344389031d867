"""A connection to the mailbox: every wait has an end, and a lost connection ends every wait."""

import asyncio
import re
import ssl
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import aioimaplib

from channels.email.credentials import Credentials
from channels.email.settings import EmailSettings

T = TypeVar("T")
WITHIN_S = 30.0
BODY_WITHIN_S = 300.0
HEADER_FIRST = 1_000_000
_NUMBER = re.compile(rb"\[(UIDVALIDITY|UIDNEXT) (\d+)\]", re.IGNORECASE)
_DATE = re.compile(rb'INTERNALDATE "([^"]+)"', re.IGNORECASE)
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)", re.IGNORECASE)
_FOLDER = re.compile(rb'\(([^)]*)\) (?:"[^"]*"|NIL) (?:"((?:[^"\\]|\\.)*)"|(\S+))', re.IGNORECASE)


class Lost(Exception):
    """The connection is gone, or did not answer in time."""


class Refused(Exception):
    """The server said no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A folder as it stands: (validity, uid) names a mail for ever, `next` is no mail's uid yet."""

    validity: int
    next: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A mail; `at` is when the server got it, in milliseconds UTC."""

    uid: int
    raw: bytes
    at: int
    size: int


class Imap:
    """Signed in. Everything raises Lost or Refused."""

    def __init__(self, client: aioimaplib.IMAP4) -> None:
        self._client = client
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

    async def _command(self, call: Awaitable[aioimaplib.Response], within: float = WITHIN_S) -> list[bytes]:
        response = await self._do(call, within)
        if response.result != "OK":
            said = b" ".join(bytes(line) for line in response.lines[-1:]).decode("utf-8", "replace")
            raise Refused(f"{response.result} {said}"[:300])
        return list(response.lines)

    async def sign_in(self, credentials: Credentials) -> None:
        """By password or token."""
        await self._do(self._client.wait_hello_from_server())
        secret = await credentials.secret()
        if credentials.by_token:
            await self._command(self._client.xoauth2(credentials.user, secret))
        else:
            await self._command(self._client.login(quoted(credentials.user), secret))

    async def select(self, folder: str) -> Selected:
        """Opens a folder."""
        lines = await self._command(self._client.select(quoted(encoded(folder))))
        told = {name.upper(): int(value) for line in lines for name, value in _NUMBER.findall(bytes(line))}
        if b"UIDVALIDITY" not in told:
            raise Refused(f"{folder} has no UIDVALIDITY")
        return Selected(validity=told[b"UIDVALIDITY"], next=told.get(b"UIDNEXT", 0))

    async def uids(self, criteria: str) -> list[int]:
        """What a search finds, in order."""
        lines = await self._command(self._client.uid_search(criteria, charset=None))
        return sorted(
            {int(word) for line in lines for word in bytes(line).split() if word.isdigit()} if lines else set()
        )

    async def fetch(self, uid: int, most: int) -> Fetched | None:
        """Without marking it as read; a mail of more than `most` bytes only its beginning. None when it is gone."""
        lines = await self._command(self._client.uid("fetch", str(uid), "(INTERNALDATE RFC822.SIZE)"))
        told = b" ".join(bytes(line) for line in lines)
        size = _SIZE.search(told)
        if size is None:
            return None
        part = "BODY.PEEK[]" if int(size[1]) <= most else f"BODY.PEEK[]<0.{HEADER_FIRST}>"
        lines = await self._command(self._client.uid("fetch", str(uid), f"({part})"), BODY_WITHIN_S)
        literals = [bytes(line) for line in lines if type(line) is not bytes]
        if not literals and not any(b"FETCH" in line for line in lines):
            return None
        return Fetched(uid=uid, raw=literals[0] if literals else b"", at=_moment(told), size=int(size[1]))

    async def mark_seen(self, uid: int) -> None:
        """For people who look into the same mailbox."""
        await self._command(self._client.uid("store", str(uid), "+FLAGS.SILENT", "(\\Seen)"))

    async def append(self, folder: str, raw: bytes) -> None:
        """Files a mail, as read."""
        await self._command(self._client.append(raw, quoted(encoded(folder)), "(\\Seen)"), BODY_WITHIN_S)

    async def remove(self, uid: int) -> None:
        """Takes a mail away for good, where the server can do that for one alone."""
        await self._command(self._client.uid("store", str(uid), "+FLAGS.SILENT", "(\\Deleted)"))
        await self._command(self._client.uid("expunge", str(uid)))

    async def folders(self) -> dict[str, frozenset[str]]:
        """Every folder with its attributes, in lower case."""
        found: dict[str, frozenset[str]] = {}
        for line in await self._command(self._client.list('""', "*")):
            told = _FOLDER.search(bytes(line))
            if told:
                name = (told[2] if told[2] is not None else told[3]).decode("ascii", "replace")
                found[decoded(name.replace('\\"', '"').replace("\\\\", "\\"))] = frozenset(
                    word.decode("ascii", "replace").lower() for word in told[1].split()
                )
        return found

    async def holds(self, message_id: str) -> list[int]:
        """The mails of the open folder with this Message-ID."""
        return await self.uids(f"HEADER Message-ID {quoted(message_id)}")

    def has(self, ability: str) -> bool:
        """Whether the server offers it."""
        return bool(self._client.has_capability(ability))

    async def idle(self, seconds: float) -> None:
        """Until something happens in the open folder, or so many seconds have passed."""
        ends = await self._do(self._client.idle_start(seconds))
        with suppress(asyncio.TimeoutError):
            async with asyncio.timeout(seconds):
                await self._do(self._pushed(), seconds + WITHIN_S)
        if self._client.has_pending_idle():
            self._client.idle_done()
            await self._do(ends)

    async def _pushed(self) -> None:
        """What comes that is no sign of life only."""
        while True:
            pushed = await self._client.wait_server_push(WITHIN_S + 1_500)
            if pushed == aioimaplib.STOP_WAIT_SERVER_PUSH or any(
                b"EXISTS" in line or b"BYE" in line for line in pushed
            ):
                return

    async def close(self) -> None:
        """Takes leave if there is still somebody to hear it."""
        if not self._is_lost and not self._client.has_pending_idle():
            with suppress(Lost, Refused):
                await self._command(self._client.logout(), 2.0)
        transport = self._client.protocol.transport
        if transport is not None:
            transport.close()


async def connected(settings: EmailSettings, credentials: Credentials, tls: ssl.SSLContext) -> Imap:
    """Signed in. Raises Lost, or Refused for wrong credentials."""
    if settings.imap_tls == "tls":
        client = aioimaplib.IMAP4_SSL(settings.imap_host, settings.imap_port, timeout=WITHIN_S, ssl_context=tls)
    else:
        client = aioimaplib.IMAP4(settings.imap_host, settings.imap_port, timeout=WITHIN_S)
    imap = Imap(client)
    try:
        await imap.sign_in(credentials)
    except (Lost, Refused, asyncio.CancelledError):
        await imap.close()
        raise
    return imap


def quoted(text: str) -> str:
    """A string that cannot end its command. Raises ValueError for one that tries to."""
    if not text.isascii() or not text.isprintable():
        raise ValueError("a line break or another control character cannot stand in a command")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def encoded(folder: str) -> str:
    """In modified UTF-7 (RFC 3501), as folders are named on the wire."""
    return re.sub(r"[^\x20-\x7e]+|&", lambda found: _shifted(found[0]), folder)


def _shifted(text: str) -> str:
    if text == "&":
        return "&-"
    return "&" + text.encode("utf-7")[1:].rstrip(b"-").decode().replace("/", ",") + "-"


def decoded(name: str) -> str:
    """From modified UTF-7; what is none stays as it is."""
    return re.sub(r"&([^-]*)-", lambda found: _unshifted(found[1]), name)


def _unshifted(text: str) -> str:
    try:
        return f"+{text.replace(',', '/')}-".encode("ascii").decode("utf-7") if text else "&"
    except UnicodeError:
        return f"&{text}-"


def _moment(told: bytes) -> int:
    found = _DATE.search(told)
    with suppress(ValueError, OverflowError):
        if found:
            moment = datetime.strptime(found[1].decode("ascii", "replace").strip(), "%d-%b-%Y %H:%M:%S %z")
            return int(moment.astimezone(UTC).timestamp() * 1000)
    return 0
