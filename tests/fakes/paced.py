"""A channel that says how fast its platform lets it call, and writes down when it did."""

from collections.abc import Awaitable, Callable

from channels.contract import Limits
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.pace import Pace
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.platform import FakePart, FakePlatform

Before = Callable[[ChatKey], Awaitable[None]]


class Calls:
    """When each call to send began, and to which chat; it outlives the channels that write here."""

    def __init__(self, clock: FakeClock, *paces: Pace, before: Before | None = None, limits: Limits = LIMITS) -> None:
        self.clock = clock
        self.paces = paces
        self.before = before
        self.limits = limits
        self.made: list[tuple[int, str]] = []

    def channel(self, platform: FakePlatform) -> FakeChannel:
        """A channel that writes here."""
        return PacedChannel(platform, self)

    def to(self, chat: str) -> list[int]:
        """The times of the calls to a chat."""
        return [at for at, called in self.made if called == chat]


class PacedChannel(FakeChannel):
    """Its paces are those of its calls; `before` may raise or wait as the platform would."""

    def __init__(self, platform: FakePlatform, calls: Calls) -> None:
        super().__init__(platform, limits=calls.limits)
        self._calls = calls

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """The same for every chat."""
        return self._calls.paces

    async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
        """Written down when it begins."""
        self._calls.made.append((self._calls.clock.now(), chat.chat_id))
        if self._calls.before is not None:
            await self._calls.before(chat)
        return await super().send(chat, part, key)
