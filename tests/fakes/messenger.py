"""A channel without a place of its own for what is going on: it has messages, reactions and a sign of typing."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from channels.contract import Limits
from core.bus import Accept
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.message import Reply
from core.domain.presence import Reaction
from core.ports import Lane
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.platform import FakePart, FakePlatform

Trouble = Exception | Callable[[], Awaitable[object]]


class Signs:
    """What the platform shows beside the words; it survives the gateway, as a platform does.

    `trouble`: an error is raised by the next call, anything else is awaited before it.
    """

    def __init__(self) -> None:
        self.on: dict[str, set[Reaction]] = {}
        self.history: list[tuple[str, Reaction]] = []
        self.typing: list[bool] = []
        self.edits: list[str] = []
        self.trouble: deque[Trouble] = deque()
        self.edit_trouble: deque[Trouble] = deque()

    async def react(self, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """One reaction in the place of another."""
        await _meet(self.trouble)
        standing = self.on.setdefault(message_id, set())
        standing.discard(instead_of or reaction)
        standing.add(reaction)
        self.history.append((message_id, reaction))

    def of(self, message_id: object) -> list[Reaction]:
        """Every reaction that a message ever had, in order."""
        return [reaction for one, reaction in self.history if one == message_id]


class Messenger:
    """One account; everything but its signs is that of FakeChannel."""

    def __init__(self, platform: FakePlatform, signs: Signs, *, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self._platform = platform
        self._signs = signs
        self._plain = FakeChannel(platform, limits=limits)

    @property
    def lane(self) -> Lane:
        """All chats of the account."""
        return self._plain.lane

    async def listen(self, accept: Accept) -> None:
        """Until cancelled."""
        await self._plain.listen(accept)

    def render(self, reply: Reply) -> Sequence[FakePart]:
        """Cut at the limit."""
        return self._plain.render(reply)

    async def send(self, chat: ChatKey, part: FakePart, key: str) -> Receipt:
        """A new message."""
        return await self._plain.send(chat, part, key)

    async def edit(self, chat: ChatKey, receipt: Receipt, part: FakePart, key: str) -> Receipt:
        """The message as it is from now on."""
        await _meet(self._signs.edit_trouble)
        self._signs.edits.append(part["text"])
        return await self._plain.edit(chat, receipt, part, key)

    async def settle(self, chat: ChatKey, part: FakePart, key: str) -> Settled:
        """As the platform can tell."""
        return await self._plain.settle(chat, part, key)

    async def delete(self, chat: ChatKey, receipt: Receipt) -> None:
        """Gone from the ledger."""
        self._platform.ledger.remove(receipt.message_id)

    def placeholder(self, part: FakePart, text: str) -> FakePart | None:
        """A text can be edited into any other."""
        return self._plain.placeholder(part, text)

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """Remembered."""
        self._signs.typing.append(on)

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """Remembered."""
        await self._signs.react(message_id, reaction, instead_of)


async def _meet(trouble: deque[Trouble]) -> None:
    if trouble:
        befalls = trouble.popleft()
        if isinstance(befalls, Exception):
            raise befalls
        await befalls()


def without_edits(limits: Limits = LIMITS) -> Limits:
    """As on a platform where what was sent stays as it is."""
    return replace(limits, edits=False)
