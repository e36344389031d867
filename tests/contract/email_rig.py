"""The email channel in front of a mail server on loopback."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from channels.contract import Accept, ChannelContext
from channels.email import SPEC
from channels.email.body import body_of
from channels.email.channel import EmailChannel
from channels.email.conversations import Letter, begun, dumped, scope_of, scope_of_mail
from channels.email.desk import Desk, new_desk
from channels.email.mime import read
from channels.email.outbound import EmailPart
from channels.email.settings import EmailSettings
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.message import Dropped, Inbound
from core.domain.texts import Texts
from core.ports import Accepted
from core.runtime.ambient import SystemClock
from tests.fakes.email import PASSWORD, MailServer
from tests.fakes.email.server import USER
from tests.fakes.waiting import until

ANN = "anna@example.org"
ROOT = "<root@example.org>"
SERVER = "mx.example.com"


class Impatient(SystemClock):
    """Nobody waits long; `waits` is what was waited for."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """A moment instead of the seconds."""
        self.waits.append(seconds)
        await asyncio.sleep(0.01)


def settings_of(server: MailServer, **more: object) -> dict[str, object]:
    """A mailbox on this server."""
    return {
        "address": USER,
        "password": PASSWORD,
        "imap_host": "127.0.0.1",
        "imap_port": server.imap_port,
        "imap_tls": "off",
        "smtp_host": "127.0.0.1",
        "smtp_port": server.smtp_port,
        "smtp_tls": "off",
        "trusted_authserv_id": SERVER,
        **more,
    }


def mail(text: str, *, sender: str = ANN, to: str = USER, message_id: str = "", **headers: str) -> bytes:
    """A mail that our own server has verified."""
    made = EmailMessage()
    domain = sender.rpartition("@")[2].rstrip(">")
    made["Authentication-Results"] = f"{SERVER}; dmarc=pass header.from={domain}"
    made["From"], made["To"] = sender, to
    made["Date"] = format_datetime(datetime.fromtimestamp(time.time(), UTC))
    made["Message-ID"] = message_id or f"<{time.monotonic_ns()}@example.org>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text, cte="base64")
    return made.as_bytes()


def now() -> int:
    """Milliseconds UTC."""
    return int(time.time() * 1000)


class Memory:
    """What a store would keep of cursors."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def read(self, scope: str) -> str | None:
        """As `ChannelContext.cursor`."""
        return self.values.get(scope)

    def keeping(self, accept: Accept) -> Accept:
        """Keeps what was moved, once it is stored."""

        async def kept(event: Inbound | Dropped) -> Accepted:
            accepted = await accept(event)
            for move in (event.cursor, *event.cursor.also) if event.cursor else ():
                self.values[move.scope] = move.value
            return accepted

        return kept


def context_of(memory: Memory, workspace: Path, clock: SystemClock) -> ChannelContext:
    """As the gateway makes it."""
    return ChannelContext(
        account=USER,
        workspace=workspace,
        clock=clock,
        commands=COMMANDS,
        texts=Texts({}),
        env=lambda name: None,
        cursor=memory.read,
        uploads=lambda chat: workspace / "uploads" / "chat",
    )


def channel_on(server: MailServer, memory: Memory, workspace: Path, clock: SystemClock, **more: object) -> EmailChannel:
    """Nobody listens yet."""
    settings = SPEC.settings.model_validate(settings_of(server, **more))
    channel = SPEC.build(settings, context_of(memory, workspace, clock))
    assert isinstance(channel, EmailChannel)
    return channel


def desk_of(memory: Memory, workspace: Path, *, addresses: Sequence[str]) -> Desk:
    """Of a mailbox that is on no server."""
    told = {"address": addresses[0], "also": addresses[1:], "password": PASSWORD, "most_per_hour": 10_000}
    hosts = {"imap_host": "127.0.0.1", "smtp_host": "127.0.0.1", "trusted_authserv_id": "mail.example.com"}
    return new_desk(EmailSettings.model_validate({**told, **hosts}), context_of(memory, workspace, SystemClock()))


class EmailRig:
    """A mailbox, and Ann in a conversation that she began."""

    def __init__(self, server: MailServer, workspace: Path, **more: object) -> None:
        self.server = server
        self.clock = Impatient()
        self.memory = Memory()
        self.chat = ChatKey(channel="email", account=USER, chat_id=ROOT)
        begins = begun(ROOT, Letter(message_id=ROOT, subject="", author=ANN, others=()))
        self.memory.values |= {scope_of(ROOT): dumped(begins), scope_of_mail(ROOT): ROOT}
        self.memory.values["folder.INBOX"] = '{"validity":1,"uid":0,"began":1,"unread":0}'
        self.channel = channel_on(server, self.memory, workspace, self.clock, **more)
        listen = self.channel.listen
        self.channel.listen = lambda accept: listen(self.memory.keeping(accept))  # type: ignore[method-assign]

    def says(self, text: str) -> None:
        """By Ann, in the same thread."""
        self.server.arrives(mail(text, In_Reply_To=ROOT, References=ROOT))

    def babbles(self) -> None:
        """A digest of a list."""
        self.server.arrives(mail("digest", List_Id="<fans.example.org>"))

    def echoes(self, text: str) -> None:
        """Under our own address."""
        self.server.arrives(mail(text, sender=USER))

    def text_of(self, part: EmailPart) -> str:
        """There is no limit."""
        return part["text"]

    async def left(self, wanted: str) -> str:
        """What was accepted."""
        await until(lambda: wanted in self._ledger())
        return self._ledger()

    def faults(self) -> list[Callable[[], None]]:
        """Every way to say no, and both ways to say nothing."""
        faults = self.server.faults
        answers = [
            ("AUTH", "535 5.7.8 no"),
            ("MAIL", "421 4.3.2 come later"),
            ("MAIL", "451 4.3.0 trouble"),
            ("RCPT", "550 5.1.1 no such user"),
            ("RCPT", "451 4.7.1 greylisted"),
            ("DATA", "554 5.7.1 spam"),
            (".", "552 5.3.4 too big"),
            (".", "451 4.3.0 trouble"),
            ("EHLO", "close"),
        ]
        cuts = [partial(faults.cuts.append, when) for when in ("before", "after")]
        return [*(partial(faults.refuse, *one) for one in answers), *cuts]

    async def knows_that_it_was_not_stored(self) -> bool:
        """It stays in the mailbox, and is read again after a pause."""
        await until(lambda: bool(self.clock.waits))
        return True

    def _ledger(self) -> str:
        return "".join(f"{body_of(read(one.raw)).text}\n" for one in self.server.box.ledger)


@asynccontextmanager
async def email() -> AsyncIterator[EmailRig]:
    """A mailbox that nobody has connected to yet."""
    with TemporaryDirectory() as folder:
        async with MailServer(clock=now) as server:
            yield EmailRig(server, Path(folder))
