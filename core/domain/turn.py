"""One turn: from a person's message to its answer. All transitions stand in this file."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class TurnState(StrEnum):
    """Live are QUEUED, RUNNING and WAITING; the others are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    BROKEN = "broken"
    STOPPED = "stopped"


class TurnEvent(StrEnum):
    """What can happen to a turn."""

    CLAIMED = "claimed"
    PARKED = "parked"
    ANSWERED = "answered"
    EXPIRED = "expired"
    FINISHED = "finished"
    FAILED = "failed"
    LEASE_LOST = "lease_lost"
    CANCELLED = "cancelled"


MOVES: Mapping[TurnState, Mapping[TurnEvent, TurnState]] = MappingProxyType(
    {
        TurnState.QUEUED: {TurnEvent.CLAIMED: TurnState.RUNNING, TurnEvent.CANCELLED: TurnState.STOPPED},
        TurnState.RUNNING: {
            TurnEvent.PARKED: TurnState.WAITING,
            TurnEvent.ANSWERED: TurnState.RUNNING,
            TurnEvent.FINISHED: TurnState.DONE,
            TurnEvent.FAILED: TurnState.BROKEN,
            TurnEvent.LEASE_LOST: TurnState.QUEUED,
            TurnEvent.CANCELLED: TurnState.STOPPED,
        },
        TurnState.WAITING: {
            TurnEvent.ANSWERED: TurnState.QUEUED,
            TurnEvent.EXPIRED: TurnState.QUEUED,
            TurnEvent.CANCELLED: TurnState.STOPPED,
        },
        TurnState.DONE: {},
        TurnState.BROKEN: {},
        TurnState.STOPPED: {},
    }
)


def after(state: TurnState, event: TurnEvent) -> TurnState:
    """The state that follows; a KeyError is a bug in the caller, not in the data."""
    return MOVES[state][event]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The models of one turn, best first, fixed when its message was admitted; later changes do not touch it."""

    names: tuple[str, ...]
    registry: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and money of one or more model calls; cost is in US dollars, 0 where no price is known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens


NO_USAGE = Usage()
