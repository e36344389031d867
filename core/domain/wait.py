"""Something that only a person can decide: a question that a turn waits for."""

from dataclasses import dataclass
from enum import StrEnum

from core.domain.chat import Principal
from core.domain.message import Choice, OutgoingFile
from core.domain.step import CallId


class WaitState(StrEnum):
    """OPEN until exactly one of the others."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class WaitKind(StrEnum):
    """A question, which the person asked answers in any words; or an approval, which takes an approver's word."""

    QUESTION = "question"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a tool returns that needs the person: the turn parks until there is an answer. Times in milliseconds."""

    question: str
    choices: tuple[str, ...] = ()
    lasts: int | None = None
    default: str | None = None
    allow_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An Ask made concrete: who is asked, which button stands for which choice, how long it lasts.

    An approval shows exactly what `tool` would do, in `file` where it is long, and `digest` stands for it.
    """

    call: CallId
    asked: Principal
    text: str
    choices: tuple[Choice, ...]
    lasts: int
    default: str | None
    allow_empty: bool
    kind: WaitKind = WaitKind.QUESTION
    tool: str = ""
    digest: str | None = None
    shown: str = ""
    file: OutgoingFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A stored question. `deadline` is None while it waits for another question of the same person to close.

    `card` is the platform's name of the message that shows it, once that is out.
    """

    id: int
    turn: int
    question: Question
    deadline: int | None
    card: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How a wait ended.

    `text` is None where no answer came in time and there is no default; `choice` is the place of the choice taken,
    if one was. `digest` names what was approved, and only that.
    """

    text: str | None
    choice: int | None = None
    in_time: bool = True
    digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a person gave as an answer: the words for the model and for the card, and the place of the choice taken."""

    text: str
    shown: str
    choice: int | None = None
