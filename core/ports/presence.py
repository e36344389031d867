"""What is shown while a turn runs. All of it is cosmetic: losing it loses nothing."""

from typing import Protocol

from core.domain.chat import ChatKey
from core.domain.delivery import Receipt
from core.domain.message import Reply
from core.domain.presence import Abilities, Reaction


class Showing(Protocol):
    """The channels, as presence sees them."""

    def able(self, chat: ChatKey) -> Abilities:
        """What can be shown there; nothing where no channel of this process serves the chat."""

    def step(self, chat: ChatKey, text: str) -> None:
        """Show what is being done in its own place; an empty text clears it. Never waits."""

    def draft(self, chat: ChatKey, text: str) -> None:
        """Show all of an answer so far in its own place; an empty text clears it. Never waits."""

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """Show the sign of typing, or take it away. Raises SendError."""

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """Put a reaction on a person's message in the place of another. Raises SendError."""


class Drafts(Protocol):
    """The one message in which a turn shows its progress, so that the reply can take its place."""

    async def keep(self, turn: int, reply: Reply, receipt: Receipt, *, key: str) -> None:
        """The message is out: from now on the reply of the turn finds it."""

    async def find(self, turn: int) -> tuple[Receipt, int] | None:
        """The message of a turn and when it was kept."""

    async def must_wait(self, turn: int) -> bool:
        """Whether an earlier reply of the chat is still to come: a message that goes out now would stand above it."""

    async def forget(self, turn: int) -> bool:
        """The reply of the turn shall not take its place; False when it does already."""
