"""The shared bus: the only door between channels and runtime.

Durable messages are rows: `publish` returns after the commit, and only then may a channel acknowledge its platform.
Volatile ones are cosmetic and dropped freely: a reader that falls behind loses the oldest.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.domain.chat import ChatKey
from core.domain.message import Dropped, Inbound
from core.ports import Accepted

VOLATILE_BACKLOG = 1_000

Accept = Callable[[Inbound | Dropped], Awaitable[Accepted]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All text that the model of a running turn has said so far. A shorter one than before starts the draft anew."""

    chat: ChatKey
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a running turn is doing, in a few words."""

    chat: ChatKey
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """A turn started (`on`) or ended in this chat."""

    chat: ChatKey
    turn: int
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """One structured record of a thing that happened; `data` holds plain JSON values and no message text."""

    kind: str
    chat: ChatKey | None = None
    turn: int | None = None
    data: Mapping[str, object] = field(default_factory=dict, hash=False)


Volatile = Draft | Progress | Typing | Telemetry


class Subscription:
    """One reader's backlog of volatile messages."""

    def __init__(self, kinds: frozenset[type[Volatile]]) -> None:
        self.kinds = kinds
        self._backlog: deque[Volatile] = deque(maxlen=VOLATILE_BACKLOG)
        self._arrived = asyncio.Event()

    def offer(self, message: Volatile) -> None:
        """Take the message if the reader wants it; never waits."""
        if type(message) in self.kinds:
            self._backlog.append(message)
            self._arrived.set()

    def take(self) -> list[Volatile]:
        """Everything that lies here, oldest first."""
        taken = list(self._backlog)
        self._backlog.clear()
        self._arrived.clear()
        return taken

    async def __aiter__(self) -> AsyncIterator[Volatile]:
        while True:
            await self._arrived.wait()
            for message in self.take():
                yield message


class Bus:
    """Carries durable messages to the intake and volatile ones to whoever watches."""

    def __init__(self) -> None:
        self._accept: Accept | None = None
        self._readers: list[Subscription] = []

    def serve(self, accept: Accept) -> None:
        """Say who stores durable messages; once, before the first channel starts."""
        self._accept = accept

    async def publish(self, event: Inbound | Dropped) -> Accepted:
        """Store and decide; returns after the commit. Raises StoreError; then nothing was stored."""
        if self._accept is None:
            raise RuntimeError("the bus has no intake yet")
        return await self._accept(event)

    def emit(self, message: Volatile) -> None:
        """Tell whoever watches; costs nothing when nobody does."""
        for reader in self._readers:
            reader.offer(message)

    def watched(self, kind: type[Volatile]) -> bool:
        """Whether anybody watches this kind; saves making what nobody sees."""
        return any(kind in reader.kinds for reader in self._readers)

    @contextmanager
    def subscribe(self, *kinds: type[Volatile]) -> Iterator[Subscription]:
        """A reader for as long as the block lasts."""
        reader = Subscription(frozenset(kinds))
        self._readers.append(reader)
        try:
            yield reader
        finally:
            self._readers.remove(reader)
