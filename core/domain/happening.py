"""The volatile messages of the bus: what happens, for whoever watches. Losing any of them loses nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.chat import ChatKey
from core.domain.presence import Outcome


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
class Taken:
    """A message was stored and will be worked on in this turn. `waits`: after others."""

    chat: ChatKey
    turn: int
    message_id: str
    shared: bool
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A turn is worked on from now on, with all messages that belong to it so far."""

    chat: ChatKey
    turn: int
    message_ids: tuple[str, ...]
    shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The work on a turn came to an end; `replies` when a reply follows. Not told when another process goes on."""

    chat: ChatKey
    turn: int
    outcome: Outcome
    replies: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """One structured record of a thing that happened; `data` holds plain JSON values and no message text."""

    kind: str
    chat: ChatKey | None = None
    turn: int | None = None
    data: Mapping[str, object] = field(default_factory=dict, hash=False)


Volatile = Draft | Progress | Typing | Taken | Begun | Ended | Telemetry
