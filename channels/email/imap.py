"""What is done in a mailbox."""

import asyncio
import re
import ssl
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import aioimaplib

from channels.email.connection import WITHIN_S, Connection, Lost, Refused, quoted
from channels.email.credentials import Credentials
from channels.email.settings import EmailSettings

BODY_WITHIN_S = 300.0
HEADER_FIRST = 1_000_000
_NUMBER = re.compile(rb"\[(UIDVALIDITY|UIDNEXT) (\d+)\]", re.IGNORECASE)
_DATE = re.compile(rb'INTERNALDATE "([^"]+)"', re.IGNORECASE)
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)", re.IGNORECASE)
_FOLDER = re.compile(rb'\(([^)]*)\) (?:"[^"]*"|NIL) (?:"((?:[^"\\]|\\.)*)"|(\S+))', re.IGNORECASE)


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
    """A mailbox that we are signed in to. Everything raises Lost or Refused."""

    def __init__(self, on: Connection) -> None:
        self._on = on
        self.has = on.has
        self.idle = on.idle
        self.close = on.close

    async def select(self, folder: str) -> Selected:
        """Opens a folder."""
        lines = await self._on.command(self._on.client.select(quoted(encoded(folder))))
        told = {name.upper(): int(value) for line in lines for name, value in _NUMBER.findall(bytes(line))}
        if b"UIDVALIDITY" not in told:
            raise Refused(f"{folder} has no UIDVALIDITY")
        return Selected(validity=told[b"UIDVALIDITY"], next=told.get(b"UIDNEXT", 0))

    async def uids(self, criteria: str) -> list[int]:
        """What a search finds, in order."""
        lines = await self._on.command(self._on.client.uid_search(criteria, charset=None))
        return sorted(
            {int(word) for line in lines for word in bytes(line).split() if word.isdigit()} if lines else set()
        )

    async def fetch(self, uid: int, most: int) -> Fetched | None:
        """Without marking it as read; a mail of more than `most` bytes only its beginning. None when it is gone."""
        lines = await self._on.command(self._on.client.uid("fetch", str(uid), "(INTERNALDATE RFC822.SIZE)"))
        told = b" ".join(bytes(line) for line in lines)
        size = _SIZE.search(told)
        if size is None:
            return None
        part = "BODY.PEEK[]" if int(size[1]) <= most else f"BODY.PEEK[]<0.{HEADER_FIRST}>"
        lines = await self._on.command(self._on.client.uid("fetch", str(uid), f"({part})"), BODY_WITHIN_S)
        literals = [bytes(line) for line in lines if type(line) is not bytes]
        if not literals and not any(b"FETCH" in line for line in lines):
            return None
        return Fetched(uid=uid, raw=literals[0] if literals else b"", at=_moment(told), size=int(size[1]))

    async def mark_seen(self, uid: int) -> None:
        """For people who look into the same mailbox."""
        await self._on.command(self._on.client.uid("store", str(uid), "+FLAGS.SILENT", "(\\Seen)"))

    async def append(self, folder: str, raw: bytes) -> None:
        """Files a mail, as read."""
        await self._on.command(self._on.client.append(raw, quoted(encoded(folder)), "(\\Seen)"), BODY_WITHIN_S)

    async def remove(self, uid: int) -> None:
        """Takes a mail away for good, where the server can do that for one alone."""
        await self._on.command(self._on.client.uid("store", str(uid), "+FLAGS.SILENT", "(\\Deleted)"))
        await self._on.command(self._on.client.uid("expunge", str(uid)))

    async def folders(self) -> dict[str, frozenset[str]]:
        """Every folder with its attributes, in lower case."""
        found: dict[str, frozenset[str]] = {}
        for line in await self._on.command(self._on.client.list('""', "*")):
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


async def connected(settings: EmailSettings, credentials: Credentials, tls: ssl.SSLContext) -> Imap:
    """Signed in. Raises Lost, or Refused for wrong credentials."""
    if settings.imap_tls == "tls":
        client = aioimaplib.IMAP4_SSL(settings.imap_host, settings.imap_port, timeout=WITHIN_S, ssl_context=tls)
    else:
        client = aioimaplib.IMAP4(settings.imap_host, settings.imap_port, timeout=WITHIN_S)
    connection = Connection(client)
    try:
        await connection.sign_in(credentials)
    except (Lost, Refused, asyncio.CancelledError):
        await connection.close()
        raise
    return Imap(connection)


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
