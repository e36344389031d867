"""One reply bound to one chat, on its way out part by part."""

from dataclasses import dataclass
from enum import StrEnum

from core.domain.chat import ChatKey
from core.domain.message import Reply


class DeliveryState(StrEnum):
    """The state of a delivery is that of the part in flight; SENT and DEAD are final."""

    NEW = "new"
    SENDING = "sending"
    UNSURE = "unsure"
    SENT = "sent"
    DEAD = "dead"


class Settled(StrEnum):
    """What a channel can find out about a part whose fate is unknown."""

    SENT = "sent"
    NOT_SENT = "not_sent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The platform's own name of a message that it took: enough to edit it or to read it back."""

    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A reply with its place: parts below `part` are final, `part` is the one in `state`.

    `edits` is the message that this one takes the place of; `removes` is one that goes away once this one is out.
    `plain` is set once the platform refused its markup: it goes out as literal text. `repeat` is 1 while an unsure part
    is left alone, 2 once it went out again. `key` is random and fixed for the delivery's life; part n goes out under
    `key` and its number, on every attempt.
    """

    id: int
    chat_row: int
    chat: ChatKey
    reply: Reply
    key: str
    part: int = 0
    attempt: int = 1
    state: DeliveryState = DeliveryState.SENDING
    turn: int | None = None
    created_at: int = 0
    repeat: int = 0
    edits: Receipt | None = None
    plain: bool = False
    removes: Receipt | None = None

    def label_key(self) -> str:
        """The key of the label in front of a repeat: always the same for a part, and as short as the part's own."""
        return f"{self.key[:20]}L{self.part}"

    def placeholder_key(self) -> str:
        """The key of the placeholder that the part is edited into."""
        return f"{self.key[:20]}H{self.part}"

    def part_key(self) -> str:
        """The idempotency key of the part in flight: at most 25 characters, as Discord's nonce wants it."""
        if self.plain:
            # Another one than that of the part with markup, which the platform knows already.
            return f"{self.key[:20]}P{self.part}"
        return f"{self.key}.{self.part}" if self.part else self.key
