"""What a frame may have to do next, one value each."""

from dataclasses import dataclass

from core.domain.message import OutgoingFile
from core.domain.step import Call, CallId
from core.domain.tool import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Run an open call. With `record` a started step comes first, because the call cannot be repeated.

    `approved` is the digest of what a person allowed to run: anything else is asked for anew.
    """

    id: CallId
    call: Call
    record: bool
    approved: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """Go on with the child frame that works on an open call."""

    id: CallId
    frame: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """An open call was interrupted and may have taken effect: ask the person whether to run it again."""

    id: CallId
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Give an open call its result without running it."""

    id: CallId
    result: str
    failed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """An open call needs leave: show an approver exactly what it would do."""

    id: CallId
    tool: str
    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """An open call waits for a person: when nothing else is left to do, the turn parks."""

    id: CallId


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """Ask the model. With `nudge` these words go into the log first."""

    nudge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The frame has its answer: the text of its last model step and the files that its tools added.

    `said`: the chat was given this text already.
    """

    text: str
    files: tuple[OutgoingFile, ...]
    said: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The frame has no answer; `cause` names a text, `what` fills it."""

    cause: str
    what: str = ""


CallAction = Run | Enter | Confirm | Propose | Close | Blocked
Action = CallAction | CallModel | Finish | Fail
