"""Stop 3: what comes in, and the commands that it leaves behind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.chat import ChatKey, Principal, QueueMode, Role
from core.domain.command import CommandCall
from core.domain.message import Dropped, Inbound
from core.ports.turns import Claim, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What intake did with an event. It is committed: the channel may acknowledge.

    `turn` is set when the event became a turn, or part of one; `claim` when that was claimed in the same commit.
    `stopped` are turns that the event ended. `command` is set when a command waits to be performed. `replies` says that
    a delivery was written, `resumed` that a turn may go on or begin, `signal` that a running one is to look again
    before it asks a model. `queued_before` counts the turns that come first. `burst_ms` is how long the turn waits for
    more before it may be claimed.
    """

    inbound: int
    chat_row: int
    duplicate: bool = False
    dropped: str | None = None
    claim: Claim | None = None
    queued_before: int = 0
    turn: int | None = None
    stopped: tuple[int, ...] = ()
    command: bool = False
    replies: bool = False
    resumed: bool = False
    signal: Signal | None = None
    burst_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCommand:
    """A committed command that waits for its performer. `event_key` is that of the event that gave it, `role` what its
    sender was when it came.
    """

    inbound: int
    event_key: str
    chat_row: int
    chat: ChatKey
    sender: Principal
    call: CommandCall
    role: Role | None = None


class Inbox(Protocol):
    """Stop 3: whatever came in, stored and decided in one commit."""

    async def accept(self, event: Inbound | Dropped, *, key: str, slot: bool) -> Accepted:
        """`slot` says that this process could start the turn at once; `key` is for a notice, should one be due.

        Raises StoreError; then nothing was stored.
        """

    async def commands(self) -> Sequence[PendingCommand]:
        """Commands that no process has performed yet, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What `/status` shows of a chat. `mode` is None where the chat has chosen none."""

    running: int | None
    since: int | None
    waiting: int
    undelivered: int
    mode: QueueMode | None = None


class ChatSettings(Protocol):
    """What a chat remembers about itself."""

    async def model(self, chat_row: int) -> str | None:
        """The model that was chosen for this chat."""

    async def set_model(self, chat_row: int, name: str | None) -> None:
        """Kept over restarts; counts from the next admitted message."""

    async def set_queue_mode(self, chat_row: int, mode: QueueMode) -> None:
        """Kept over restarts; counts from the next message."""

    async def queue(self, chat_row: int) -> QueueView:
        """What runs and what waits."""
