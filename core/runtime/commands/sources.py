"""Where performers look."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.domain.chat import ChatKey, QueueMode
from core.domain.command import CommandSpec
from core.domain.texts import Texts
from core.ports import ChatLog, ChatSettings, Clock, Models


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All that any of them needs; each takes its own few. `mode` is the queue mode of a chat that has chosen none."""

    commands: Sequence[CommandSpec]
    chats: ChatSettings
    log: ChatLog
    models: Models
    texts: Texts
    clock: Clock
    mode: Callable[[ChatKey], QueueMode]
