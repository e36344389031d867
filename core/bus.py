"""The shared bus: the only door between channels and runtime.

Durable messages are rows: `publish` returns after the commit, and only then may a channel acknowledge its platform.
Volatile ones are cosmetic and dropped freely: a reader with a backlog loses the oldest when it falls behind, one that
keeps only the newest state needs no backlog.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from core.domain.happening import Begun as Begun
from core.domain.happening import Draft as Draft
from core.domain.happening import Ended as Ended
from core.domain.happening import Progress as Progress
from core.domain.happening import Taken as Taken
from core.domain.happening import Telemetry as Telemetry
from core.domain.happening import Typing as Typing
from core.domain.happening import Volatile as Volatile
from core.domain.message import Dropped, Inbound
from core.ports import Accepted

VOLATILE_BACKLOG = 1_000

Accept = Callable[[Inbound | Dropped], Awaitable[Accepted]]


class Reader(Protocol):
    """Whoever watches volatile messages of some kinds."""

    @property
    def kinds(self) -> frozenset[type[Volatile]]:
        """What it watches."""

    def offer(self, message: Volatile) -> None:
        """Take note of a message of these kinds; called by whoever emits it, so it never waits and never raises."""


class Subscription:
    """One reader's backlog of volatile messages."""

    def __init__(self, kinds: frozenset[type[Volatile]]) -> None:
        self._kinds = kinds
        self._backlog: deque[Volatile] = deque(maxlen=VOLATILE_BACKLOG)
        self._arrived = asyncio.Event()

    @property
    def kinds(self) -> frozenset[type[Volatile]]:
        """What it watches."""
        return self._kinds

    def offer(self, message: Volatile) -> None:
        """Never waits."""
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
        self._readers: list[Reader] = []

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
            if type(message) in reader.kinds:
                reader.offer(message)

    def watched(self, kind: type[Volatile]) -> bool:
        """Whether anybody watches this kind; saves making what nobody sees."""
        return any(kind in reader.kinds for reader in self._readers)

    @contextmanager
    def subscribe(self, *kinds: type[Volatile]) -> Iterator[Subscription]:
        """A reader with a backlog, for as long as the block lasts."""
        reader = Subscription(frozenset(kinds))
        with self.attached(reader):
            yield reader

    @contextmanager
    def attached(self, reader: Reader) -> Iterator[None]:
        """The reader is told of everything for as long as the block lasts."""
        self._readers.append(reader)
        try:
            yield
        finally:
            self._readers.remove(reader)
