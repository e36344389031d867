"""What intake judges by: the chat as it stands under its lock, and what the operator set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.decide.gate import NOTHING_KNOWN, Policy
from core.decide.gate import Known as Known
from core.domain.chat import ChatKey, Principal, QueueMode
from core.domain.command import CommandSpec
from core.domain.texts import Texts
from core.domain.wait import Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Queueing:
    """How messages wait: the mode where a chat has not chosen one, and the bounds.

    `chat` and `person` count the messages that wait in one chat, all of them and one person's. A burst (`collect`) is
    over after `burst_ms` without a message, or with `burst` of them.
    """

    mode: Callable[[ChatKey], QueueMode] = lambda chat: QueueMode.QUEUE
    chat: int = 50
    person: int = 20
    burst_ms: int = 2_000
    burst: int = 20


class Answerers(StrEnum):
    """Whose words answer a question: those of the person asked, of everybody let in, or of the chat's admins too."""

    ASKER = "asker"
    MEMBERS = "members"
    CHAT_ADMINS = "chat_admins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator set, for all chats alike.

    `max_age` gives milliseconds; what is older is not answered. `refuses`: whoever is not let in is told so there.
    """

    policy: Policy
    commands: Sequence[CommandSpec]
    texts: Texts
    queueing: Queueing = field(default_factory=Queueing)
    max_age: Callable[[ChatKey], int] | None = None
    answerers: Callable[[ChatKey], Answerers] = lambda chat: Answerers.ASKER
    refuses: Callable[[ChatKey], bool] = lambda chat: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What waits in a chat, in messages: all, and those of the sender. `refused`: the newest of the sender was too
    much, and he was told so.
    """

    messages: int = 0
    senders: int = 0
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """The newest turn that nobody has begun: whose messages it opens with, and how many they are."""

    turn: int
    sender: str
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The message that an edit or a delete is about. `live` says that its turn has not ended, `begun` that it started.

    `said`: it is a message of the turn, not a command or an answer. `opens`: it is one that the turn was begun for.
    """

    inbound: int
    turn: int
    sender: str
    content: str
    live: bool
    begun: bool
    said: bool
    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """The chat as intake finds it: how many turns are live, whether one may run or runs, and what it asks people.

    `told`: the sender was refused in words within a day. `at_work` is the turn that has begun and does not wait.
    What follows it is read only where `facts` asks for it.
    """

    live: int
    running: bool
    waits: Sequence[Wait] = ()
    mode: QueueMode = QueueMode.QUEUE
    now: int = 0
    at_work: int | None = None
    starter: Principal | None = None
    backlog: Backlog = field(default_factory=Backlog)
    burst: Burst | None = None
    target: Target | None = None
    told: bool = False
    known: Known = NOTHING_KNOWN

    @property
    def waiting(self) -> int:
        """Turns that have to wait for another one."""
        return self.live - self.running
