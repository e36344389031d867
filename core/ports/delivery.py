"""Stop 8: what goes out, and through whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery, Receipt, Settled
from core.domain.message import Reply
from core.domain.pace import Manners
from core.ports.intake import PendingCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """What one sender serves: all chats of an account, or one of them."""

    channel: str
    account: str
    chat_id: str | None = None

    def serves(self, chat: ChatKey) -> bool:
        """Whether a delivery to this chat is this lane's to send."""
        return (chat.channel, chat.account) == (self.channel, self.account) and self.chat_id in (None, chat.chat_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A part stays where it is until `not_before`; `unsure` when it may have been sent.

    `everywhere`: the platform wants no call of the whole account until then, which outlives the process.
    """

    not_before: int
    error: str
    unsure: bool = False
    repeat: int = 0
    everywhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Anew:
    """A reply as literal text: its rendered parts, and the one with which it goes on."""

    parts: Sequence[Mapping[str, object]]
    part: int
    error: str


class Outbox(Protocol):
    """Stop 8: what goes out, one delivery a chat at a time."""

    async def due(self, lane: Lane) -> Sequence[int]:
        """The chats (rows) of a lane that have something to send now."""

    async def next(self, chat_row: int) -> Delivery | None:
        """Mark the oldest open delivery of a chat as sending and hand it over; an unsure one comes as it is."""

    async def resume(self, delivery: Delivery) -> None:
        """An unsure part was settled as not sent: mark it as sending again."""

    async def keep_parts(self, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> None:
        """Keep the rendered parts of a long reply, so that an upgrade between two parts changes nothing."""

    async def stored_parts(self, delivery: Delivery) -> Sequence[Mapping[str, object]]:
        """What `keep_parts` kept; empty for a reply of one part."""

    async def sent(
        self, delivery: Delivery, receipt: Receipt | None, *, more: bool, stored: bool, later: bool = False
    ) -> None:
        """Record the receipt, None where the channel only knows that the part was taken.

        With `more` the next part is marked as sending in the same commit, or waits: `later`.
        """

    async def retry(self, delivery: Delivery, retry: Retry) -> None:
        """Leave the part for later."""

    async def dead(self, delivery: Delivery, error: str, *, lost: bool = False) -> None:
        """Give the delivery up; it stays listed with its reason.

        `lost`: the chat takes nothing at present. When it does again, its people are told of what never arrived.
        """

    async def answer(self, command: PendingCommand, reply: Reply, *, key: str) -> None:
        """Answer a command and close it; a second call for the same command changes nothing."""

    async def unsettle(self, lane: Lane) -> int:
        """At start: what was being sent may have been sent. Gives how many became unsure."""


class LaneFacts(Protocol):
    """What a sender has to know of its lanes beside their deliveries. Reads only."""

    async def place(self, chat_row: int) -> ChatKey:
        """The chat of a row."""

    async def floor(self, lane: Lane) -> int:
        """Until when the platform wants no call of the lane's account, in milliseconds; 0 when it never said so."""


class Forms(Protocol):
    """Deliveries that change their form on the way. Each call is one commit."""

    async def placed(self, delivery: Delivery, receipt: Receipt) -> None:
        """The placeholder of the part in flight is out: from now on the part goes out by editing it."""

    async def unplaced(self, delivery: Delivery, *, clears: bool) -> None:
        """What the part in flight was to replace cannot become it: it goes out as a new message.

        With `clears` the other goes away after it, unless it was a placeholder.
        """

    async def fall_back(self, delivery: Delivery, anew: Anew) -> None:
        """The platform refused the markup: what is left of the reply goes out as literal text, from now on."""


class Sending(Protocol):
    """The channels, as the delivery of core sees them."""

    def manners(self, chat: ChatKey) -> Manners:
        """What has to be known of the channel behind a chat."""

    def render(self, chat: ChatKey, reply: Reply) -> Sequence[Mapping[str, object]]:
        """The parts of a reply; pure."""

    def placeholder(self, chat: ChatKey, part: Mapping[str, object], text: str) -> Mapping[str, object] | None:
        """What goes out first, to be edited into the part; None where the part goes out at once. Pure."""

    async def send(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Receipt:
        """One call out. Raises SendError."""

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Mapping[str, object], key: str) -> Receipt | None:
        """Change a message that was sent; None where the channel cannot. Raises SendError. Repeating it is harmless."""

    async def remove(self, chat: ChatKey, receipt: Receipt) -> None:
        """Take a message away that was sent, where the channel can. Raises SendError. Repeating it is harmless."""

    async def settle(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Settled:
        """Was it sent?"""


class ReplyFiles(Protocol):
    """Where replies lie that are too long for a chat."""

    async def keep(self, chat: ChatKey, name: str, text: str) -> str | None:
        """Write it, or write it again; its path in the workspace, None when that cannot be done."""
