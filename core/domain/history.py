"""The log of a chat, one exchange a turn."""

from dataclasses import dataclass

from core.domain.chat import Principal
from core.domain.message import Attachment
from core.domain.step import Stamped


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One stored message of a person."""

    inbound: int
    sender: Principal
    content: str
    at: int
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn as the log has it: what was said and the steps of its root frame, in order."""

    turn: int
    said: tuple[Said, ...]
    steps: tuple[Stamped, ...]
    closed: bool = True
