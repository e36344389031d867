"""A whole gateway whose only channel is a mailbox."""

import asyncio
import imaplib
import smtplib
import sqlite3
import ssl
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path

from channels.contract import AnyChannel, ChannelContext
from channels.email import SPEC
from channels.email.body import body_of
from channels.email.mime import Mail, read
from channels.email.trimming import trimmed
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.texts import Texts
from core.runtime.ambient import SystemClock
from core.store.store import Store
from gateway.wiring import Gateway
from gateway.world import World
from tests.email.peers import PASSWORD, Peers
from tests.fakes.access import everywhere
from tests.fakes.gateway import House, opened
from tests.fakes.waiting import until

CURSOR = "SELECT value FROM cursors WHERE channel = ? AND account = ? AND scope = ?"
DROPS = "SELECT drop_reason FROM inbound WHERE drop_reason IS NOT NULL"


@dataclass(frozen=True, kw_only=True)
class EmailHouse(House):
    """`people` are let in, `bosses` own it; `settings` are the channel's."""

    settings: Mapping[str, object]
    people: frozenset[str]
    bosses: frozenset[str] = frozenset()

    @property
    def account(self) -> str:
        """The mailbox."""
        return str(self.settings["address"])

    def world(self, store: Store, channels: Sequence[AnyChannel]) -> World:
        """With a policy for these people."""
        world = super().world(store, channels)
        policy = everywhere(("email", self.account), self.people, self.bosses)
        return replace(world, choices=replace(world.choices, policy=policy))

    async def cursor(self, scope: str) -> str | None:
        """What is stored of a scope."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            row = connection.execute(CURSOR, ("email", self.account, scope)).fetchone()
        return None if row is None else str(row[0])

    def drops(self) -> list[str]:
        """The reasons for which events start nothing."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return [str(row[0]) for row in connection.execute(DROPS)]

    def mailbox(self) -> AnyChannel:
        """Not connected yet."""
        context = ChannelContext(
            account=self.account,
            workspace=self.folder / "workspace",
            clock=SystemClock(),
            commands=COMMANDS,
            texts=Texts({}),
            env=lambda name: None,
            cursor=self.cursor,
            uploads=self.uploads,
        )
        return SPEC.build(SPEC.settings.model_validate(dict(self.settings)), context)

    def uploads(self, chat: ChatKey) -> Path:
        """Where the files of a chat lie."""
        return self.folder / "workspace" / "uploads" / "chat"


@asynccontextmanager
async def running(house: EmailHouse) -> AsyncIterator[Gateway]:
    """A gateway that has looked into its mailbox once."""
    channel = house.mailbox()
    async with opened(replace(house, channel=lambda platform: channel)) as gateway:
        await until(lambda: "began" in house.drops())
        yield gateway


class Person:
    """Somebody with a mailbox at the same servers, and any program to read and write mail with."""

    def __init__(self, peers: Peers, address: str, name: str) -> None:
        self.peers = peers
        self.address = address
        self.name = name
        self.cc: tuple[str, ...] = ()
        self._tls = ssl.create_default_context(cafile=str(peers.certificate))

    async def writes(self, to: str, subject: str, text: str, **headers: str) -> EmailMessage:
        """A mail that the server has verified."""
        mail = EmailMessage()
        mail["Authentication-Results"] = "mx.example.test; dmarc=pass header.from=example.test"
        mail["From"], mail["To"], mail["Subject"] = f"{self.name} <{self.address}>", to, subject
        if self.cc:
            mail["Cc"] = ", ".join(self.cc)
        mail["Date"], mail["Message-ID"] = formatdate(), f"<{time.monotonic_ns()}@example.test>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        await asyncio.to_thread(self.sends, mail)
        return mail

    async def answers(self, told: Mail, text: str, *, file: tuple[str, bytes] | None = None) -> EmailMessage:
        """To a mail, above a quote of it, as mail programs do it."""
        mail = EmailMessage()
        mail["Authentication-Results"] = "mx.example.test; dmarc=pass header.from=example.test"
        mail["From"], mail["To"] = f"{self.name} <{self.address}>", told.headers.first("from")
        if self.cc:
            mail["Cc"] = ", ".join(self.cc)
        mail["Subject"], mail["Date"] = told.headers.text("subject"), formatdate()
        mail["Message-ID"] = f"<{time.monotonic_ns()}@example.test>"
        mail["In-Reply-To"] = told.headers.first("message-id")
        mail["References"] = f"{told.headers.first('references')} {told.headers.first('message-id')}"
        quote = "\n".join(f"> {line}" for line in body_of(told).text.splitlines())
        mail.set_content(f"{text}\n\nOn Thu, 9 Oct 2025 at 10:41, Assistant wrote:\n{quote}\n")
        if file is not None:
            mail.add_attachment(file[1], maintype="application", subtype="octet-stream", filename=file[0])
        await asyncio.to_thread(self.sends, mail)
        return mail

    def sends(self, mail: EmailMessage) -> None:
        """Hands it in, signed in."""
        with smtplib.SMTP("127.0.0.1", self.peers.smtp, local_hostname="client.example.test") as smtp:
            smtp.starttls(context=self._tls)
            smtp.login(self.address, PASSWORD)
            smtp.send_message(mail)

    def box(self) -> list[Mail]:
        """All mails in the inbox, oldest first."""
        with imaplib.IMAP4_SSL("127.0.0.1", self.peers.imaps, ssl_context=self._tls) as imap:
            imap.login(self.address, PASSWORD)
            imap.select("INBOX", readonly=True)
            found = imap.search(None, "ALL")[1][0].split()
            answers = [imap.fetch(one, "(BODY.PEEK[])")[1][0] for one in found]
        return [read(answer[1]) for answer in answers if isinstance(answer, tuple)]

    async def hears(self, words: str) -> Mail:
        """The newest mail with these words above its quotes, once it is there."""
        for _ in range(400):
            box = await asyncio.to_thread(self.box)
            found = [mail for mail in box if words in trimmed(body_of(mail).text).visible]
            if found:
                return found[-1]
        raise AssertionError(f"{words!r} is not in {[body_of(mail).text[:80] for mail in box]}")
