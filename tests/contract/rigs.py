"""Every channel with its platform, under one set of knobs. A new channel is one more line in SUBJECTS."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from channels.contract import Channel
from channels.terminal.outbound import TerminalPart
from core.domain.chat import ChatKey
from core.domain.errors import NotSent, RateLimited, Unacceptable, Unsure
from tests.contract import telegram_rig
from tests.contract.discord_rig import discord
from tests.contract.email_rig import email
from tests.contract.slack_rig import opened as slack
from tests.fakes.channel import ACCOUNT, CHANNEL, FakeChannel
from tests.fakes.platform import BOT, Changes, Event, FakePart, FakePlatform, Profile
from tests.unit.terminal.plumbing import Plumbing, plumbing
from tests.unit.terminal.sitting import channel_on, connected, new_window
from tests.unit.terminal.vt import FakeTerminal

PartT = TypeVar("PartT")


class Rig(Protocol[PartT]):
    """One channel and the other side of it."""

    @property
    def channel(self) -> Channel[PartT]:
        """The channel under test; nobody listens yet."""

    @property
    def chat(self) -> ChatKey:
        """Where `says` speaks."""

    def says(self, text: str) -> None:
        """A person says something."""

    def babbles(self) -> None:
        """Something arrives that means nothing: noise, or what cannot be read."""

    def text_of(self, part: PartT) -> str:
        """The words of a part, as the platform counts them."""

    async def left(self, wanted: str) -> str:
        """All that the platform took, once `wanted` is part of it."""

    def faults(self) -> list[Callable[[], None]]:
        """Each makes the next send fail in its own way."""

    async def knows_that_it_was_not_stored(self) -> bool:
        """Whether the last event comes again, or its author was told."""


@runtime_checkable
class Acknowledges(Protocol):
    """A platform that waits for an acknowledgement and repeats what never got one."""

    def acknowledged(self) -> int:
        """How many events got theirs."""

    def redelivers(self) -> None:
        """Hand out again what is open, as after a lost connection."""


@runtime_checkable
class Echoes(Protocol):
    """A platform that hands out our own messages too."""

    def echoes(self, text: str) -> None:
        """We said something."""


class Gathers(Rig[PartT], Protocol[PartT]):
    """A platform that has groups."""

    def says_in_group(self, text: str, *, addressed: bool) -> None:
        """A person says something in a group, to us or to others."""


class FakeRig:
    """The fake platform."""

    def __init__(self, profile: Profile) -> None:
        self.platform = FakePlatform(profile=profile)
        self.channel = FakeChannel(self.platform)
        self.chat = ChatKey(channel=CHANNEL, account=ACCOUNT, chat_id="room")
        self._last: Event | None = None

    def says(self, text: str) -> None:
        """By Ann."""
        self._last = self.platform.says("ann", text)

    def says_in_group(self, text: str, *, addressed: bool) -> None:
        """By Ann, in the hall."""
        said = {"chat": "hall", "place": "hall", "user": "ann", "shared": True, "text": text, "at": 0}
        self._last = self.platform.hands_out({**said, "addressed": addressed})

    def babbles(self) -> None:
        """An event without any of the known fields."""
        self._last = self.platform.hands_out({"type": "presence", "who": 7})

    def echoes(self, text: str) -> None:
        """Under the bot's own name."""
        self._last = self.platform.says(BOT, text)

    def text_of(self, part: FakePart) -> str:
        """Characters."""
        return part["text"]

    async def left(self, wanted: str) -> str:
        """The ledger."""
        await self.platform.changes.until(lambda: wanted in self._ledger(), within=5, otherwise=self._ledger)
        return self._ledger()

    def faults(self) -> list[Callable[[], None]]:
        """Every error that a platform can answer with."""
        errors = [RateLimited("slower", retry_in=1.0), NotSent("later"), Unsure("perhaps"), Unacceptable("too odd")]
        return [partial(self.platform.fails_next, error) for error in errors]

    async def knows_that_it_was_not_stored(self) -> bool:
        """It stays open."""
        return self._last is not None and self.platform.events.is_open(self._last)

    def acknowledged(self) -> int:
        """As the platform counts."""
        return self.platform.events.acknowledged

    def redelivers(self) -> None:
        """All that is open."""
        self.platform.events.redeliver()

    def _ledger(self) -> str:
        return "".join(f"{sent.text}\n" for sent in self.platform.ledger.lines())


class PipeRig:
    """The terminal on three pipes."""

    def __init__(self, laid: Plumbing) -> None:
        self.channel = laid.channel
        self.chat = laid.channel.chat
        self._laid = laid
        self._left = ""
        self._changes = Changes()

    def says(self, text: str) -> None:
        """A paste, so that newlines are part of it."""
        self._laid.stdin.write(f"\x1b[200~{text}\x1b[201~\n".encode())

    def babbles(self) -> None:
        """An empty line."""
        self._laid.stdin.write(b" \n")

    def text_of(self, part: TerminalPart) -> str:
        """All pieces."""
        return "".join(piece["text"] for piece in part["text"])

    async def left(self, wanted: str) -> str:
        """The standard output."""
        await self._changes.until(lambda: wanted in self._left, within=5, otherwise=lambda: self._left)
        return self._left

    def takes(self) -> None:
        """Whoever is behind the pipe reads what lies there."""
        self._left += self._laid.stdout.text()
        self._changes.happened()

    def faults(self) -> list[Callable[[], None]]:
        """Nobody reads any more."""
        return [self.leaves]

    def leaves(self) -> None:
        """Whoever is behind the pipe goes away."""
        if self._laid.stdout.read_end >= 0:
            asyncio.get_running_loop().remove_reader(self._laid.stdout.read_end)
            self._laid.stdout.close_reading()

    async def knows_that_it_was_not_stored(self) -> bool:
        """A line on the standard error."""
        return "not stored" in await self._laid.stderr.reads()


class WindowRig:
    """The terminal with a person in front of it, on a pseudo-terminal."""

    def __init__(self, terminal: FakeTerminal) -> None:
        self.channel = channel_on(new_window(no_color=True, history=None))
        self.chat = self.channel.chat
        self._terminal = terminal

    def says(self, text: str) -> None:
        """Pasted, then Enter."""
        self._terminal.pastes(text)
        self._terminal.types("\r")

    def babbles(self) -> None:
        """More than is taken."""
        self.says("x" * 1_001)

    def text_of(self, part: TerminalPart) -> str:
        """All pieces."""
        return "".join(piece["text"] for piece in part["text"])

    async def left(self, wanted: str) -> str:
        """What stands on the screen; rows that the terminal broke are joined."""
        return "\n".join(await self._terminal.shows(wanted))

    def faults(self) -> list[Callable[[], None]]:
        """The person closes it."""
        return [self._terminal.hangs_up]

    async def knows_that_it_was_not_stored(self) -> bool:
        """A line above the prompt."""
        return any("not stored" in line for line in await self._terminal.shows("not stored"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A channel of the suite; `opens` gives its Rig. The others: its rig has these knobs too."""

    name: str
    opens: Callable[[], AbstractAsyncContextManager[object]]
    acknowledges: bool = False
    echoes: bool = False
    gathers: bool = False


def fake(profile: Profile) -> Subject:
    """The fake platform with one kind of manners."""

    @asynccontextmanager
    async def opens() -> AsyncIterator[Rig[FakePart]]:
        yield FakeRig(profile)

    return Subject(name=f"fake {profile.name.lower()}", opens=opens, acknowledges=True, echoes=True, gathers=True)


@asynccontextmanager
async def piped() -> AsyncIterator[Rig[TerminalPart]]:
    """The terminal without a person in front."""
    with plumbing() as laid:
        rig = PipeRig(laid)
        asyncio.get_running_loop().add_reader(laid.stdout.read_end, rig.takes)
        yield rig
        rig.leaves()


@asynccontextmanager
async def attended() -> AsyncIterator[Rig[TerminalPart]]:
    """The terminal with one."""
    with FakeTerminal().opened() as terminal, connected(terminal):
        yield WindowRig(terminal)


SUBJECTS = (
    Subject(name="terminal piped", opens=piped),
    Subject(name="terminal attended", opens=attended),
    Subject(name="discord", opens=discord, echoes=True),
    Subject(name="email", opens=email, echoes=True),
    Subject(name="telegram", opens=telegram_rig.opened, acknowledges=True, echoes=True),
    Subject(name="slack sockets", opens=partial(slack, "socket"), acknowledges=True, echoes=True),
    Subject(name="slack posts", opens=partial(slack, "http"), acknowledges=True),
    *(fake(profile) for profile in Profile),
)
