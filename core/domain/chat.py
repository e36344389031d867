"""Which conversation, and who speaks in it."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatKey:
    """The one key of a conversation: history, queue, cancel, waits and replies all hang on it."""

    channel: str
    account: str
    chat_id: str
    thread_id: str | None = None


class SenderKind(StrEnum):
    """What speaks: a person, another program, or the platform itself."""

    PERSON = "person"
    BOT = "bot"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Whoever speaks, by the platform's own id; `name` is for display and never decides a right.

    `roles` are the ids of what the place itself made them (Discord's roles); lists may name those too.
    """

    channel: str
    account: str
    user_id: str
    name: str = ""
    verified: bool = True
    kind: SenderKind = SenderKind.PERSON
    roles: tuple[str, ...] = ()


class Role(StrEnum):
    """What a person may do, least first."""

    GUEST = "guest"
    MEMBER = "member"
    OWNER = "owner"


class QueueMode(StrEnum):
    """What becomes of a message that comes while a turn runs in its chat.

    QUEUE: it waits its turn. STEER: it joins the running turn at its next step. COLLECT: what one person says in a
    burst becomes one turn. INTERRUPT: it stops the running turn.
    """

    QUEUE = "queue"
    STEER = "steer"
    COLLECT = "collect"
    INTERRUPT = "interrupt"
