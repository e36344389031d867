"""What happened in a frame, one frozen value each. History is the log of these."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.domain.message import OutgoingFile
from core.domain.turn import NO_USAGE, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call that a model asked for. `arguments` is the model's own text: it may not be JSON at all."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswered:
    """A model's whole answer. `cut` says that the output limit ended it: its calls are not to be run."""

    text: str
    calls: tuple[Call, ...] = ()
    cut: bool = False
    model: str = ""
    usage: Usage = NO_USAGE
    kind: Literal["model_answered"] = "model_answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallId:
    """Our own name of a call: the step that holds it and its place there. Providers' ids never enter the core."""

    step: int
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A call that cannot be repeated is about to run; without a result after a crash its outcome is unknown.

    Once more for the same call only after a person said so.
    """

    call: CallId
    kind: Literal["tool_started"] = "tool_started"


class AskedAbout(StrEnum):
    """Why a call waits for a person: it is a question itself, needs leave to run, or was interrupted."""

    QUESTION = "question"
    APPROVAL = "approval"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call waits for a person; the question and its answer are kept beside the log."""

    call: CallId
    about: AskedAbout = AskedAbout.QUESTION
    kind: Literal["asked"] = "asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegated:
    """A child frame works on a call; its answer becomes the call's result."""

    call: CallId
    frame: int
    kind: Literal["delegated"] = "delegated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """The one result of a call, as the model reads it, and the files that it adds to the reply being written.

    `said` is the text that the call has sent to this chat already.
    """

    call: CallId
    result: str
    failed: bool = False
    files: tuple[OutgoingFile, ...] = ()
    said: str | None = None
    kind: Literal["tool_finished"] = "tool_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudged:
    """Words of the gateway to the model between two calls: never shown to a person."""

    text: str
    kind: Literal["nudged"] = "nudged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Steered:
    """What a person said meanwhile comes in here; the words stand in the inbound of that id."""

    inbound: int
    kind: Literal["steered"] = "steered"


Step = ModelAnswered | ToolStarted | Asked | Delegated | ToolFinished | Nudged | Steered


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """A step with its place in the turn."""

    seq: int
    step: Step
