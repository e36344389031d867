"""Which conversation, and who speaks in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatKey:
    """The one key of a conversation: history, queue, cancel, waits and replies all hang on it."""

    channel: str
    account: str
    chat_id: str
    thread_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A person, by the platform's own id; `name` is for display and never decides a right."""

    channel: str
    account: str
    user_id: str
    name: str = ""
    verified: bool = True
