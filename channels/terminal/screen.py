"""What the channel asks of a terminal, be it a window with a person in front of it or a pipe."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from channels.terminal.outbound import TerminalPart


class Taken(Enum):
    """What became of a line: stored, refused (it may be tried again), or the last one of this window."""

    STORED = auto()
    REFUSED = auto()
    LAST = auto()


Take = Callable[[str], Awaitable[Taken]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One line of an earlier conversation; `at` in milliseconds UTC, `markdown` where a model wrote it."""

    who: str
    text: str
    at: int
    markdown: bool = False


class Screen(Protocol):
    """Where things are shown. Whatever raises here raises OSError: the terminal is gone."""

    @property
    def shows_drafts(self) -> bool:
        """Whether `draft` shows anything."""

    async def show(self, part: TerminalPart) -> None:
        """A reply, complete when this returns. It takes the place of the draft."""

    async def notice(self, text: str) -> None:
        """A word of the channel itself, beside the conversation; lost when nobody can see it."""

    async def recall(self, line: TranscriptLine) -> None:
        """A line of an earlier conversation."""

    def draft(self, text: str) -> None:
        """All of an answer that is being written; cosmetic."""

    def progress(self, text: str) -> None:
        """What is being done; cosmetic."""


class Keys(Protocol):
    """Where a person's messages come from."""

    async def read(self, take: Take, busy: Callable[[], bool]) -> bool:
        """Gives each message to `take`, in order, until the input ends or `take` says that this was the last.

        False when the input broke off. `busy` says whether something runs that Ctrl-C would stop.
        """


class Terminal(Screen, Keys, Protocol):
    """Both."""


async def show_transcript(screen: Screen, items: Sequence[TranscriptLine]) -> None:
    """An earlier conversation, oldest first, before the window listens."""
    for item in items:
        await screen.recall(item)
