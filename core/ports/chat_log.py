"""What people are told of a chat's past when they ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.session import Session
from core.domain.turn import TurnState, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class LastTurn:
    """The newest turn of a chat's current session. `models` were to be tried in this order, `answered` is the last
    that gave an answer.
    """

    turn: int
    agent: str
    state: TurnState
    cause: str | None
    models: tuple[str, ...]
    answered: str | None


class ChatLog(Protocol):
    """Looks into the log of a chat; changes nothing."""

    async def sessions(self, chat_row: int) -> Sequence[Session]:
        """The newest ten in which anything was said, and the current one; newest first."""

    async def used_since(self, chat_row: int, since: int) -> Usage:
        """What the turns of the messages that came after that time have cost so far."""

    async def used_here(self, chat_row: int) -> Usage:
        """What the turns of the current session have cost so far, hidden ones too."""

    async def last_turn(self, chat_row: int) -> LastTurn | None:
        """None while nothing can be seen of the session."""
