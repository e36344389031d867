"""The log of a chat, one exchange a turn."""

from dataclasses import dataclass

from core.domain.chat import Principal, Role
from core.domain.message import Attachment
from core.domain.step import CallId, Stamped


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One stored message. `steers`: it came while the turn ran and belongs after a step of it.

    `context`: it was said to others before the turn. `role` is what its author was when it came; None for a stranger.
    """

    inbound: int
    sender: Principal
    content: str
    at: int
    attachments: tuple[Attachment, ...] = ()
    steers: bool = False
    message_id: str | None = None
    context: bool = False
    role: Role | None = Role.MEMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn as the log has it: what was said and the steps of its root frame, in order.

    `undelivered` is why its reply did not reach the person; empty when it did, or may still.
    """

    turn: int
    said: tuple[Said, ...]
    steps: tuple[Stamped, ...]
    closed: bool = True
    undelivered: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubFrame:
    """Another agent at work on a call of the same turn; `parent` is the frame of that call, 0 the root's."""

    id: int
    parent: int
    call: CallId
    agent: str
    task: str
    depth: int
    steps: tuple[Stamped, ...]
