"""What becomes of a call that has no result yet: the last thing that happened to it decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from core.decide.actions import Blocked, CallAction, Close, Confirm, Enter, Run
from core.decide.waits import refusal_of, result_of
from core.domain.step import (
    Asked,
    AskedAbout,
    Call,
    CallId,
    Delegated,
    ModelAnswered,
    Stamped,
    ToolFinished,
    ToolStarted,
)
from core.domain.wait import Answered

UNKNOWN_OUTCOME = (
    "The gateway stopped while this call ran. Whether it took effect is unknown. It was not repeated: "
    "check before you call it again, and tell the person."
)
CUT_CALL = (
    "Not run: the answer was cut at the output limit in the middle of this call. Do it in smaller pieces, "
    "or answer without it."
)
NO_SUCH_TOOL = "There is no tool {name}. The tools are: {names}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the other frames of a turn have used of its budget."""

    model_calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the steps alone do not tell.

    `tools` maps each tool that the frame has to whether its calls may be repeated. `answers` holds how the waits of
    the turn ended, by the place of their Asked step. `resumed` says that no call of this frame runs right now, so one
    that was started and has no result was interrupted.
    """

    tools: Mapping[str, bool]
    answers: Mapping[int, Answered]
    resumed: bool = False
    spent: Spent = Spent()


def open_calls(seq: int, answered: ModelAnswered, steps: Sequence[Stamped]) -> Sequence[tuple[CallId, Call]]:
    """The calls of an answer that have no result, in their order."""
    closed = {stamped.step.call for stamped in steps if isinstance(stamped.step, ToolFinished)}
    ids = ((CallId(step=seq, index=index), call) for index, call in enumerate(answered.calls))
    return tuple((call_id, call) for call_id, call in ids if call_id not in closed)


def act(call_id: CallId, call: Call, steps: Sequence[Stamped], around: Circumstances) -> CallAction:
    """The one thing to do about an open call."""
    last = _last_about(call_id, steps)
    match last.step if last else None:
        case Asked(about=about):
            assert last is not None
            answered = around.answers.get(last.seq)
            return Blocked(id=call_id) if answered is None else _answered(call_id, call, about, answered, around)
        case Delegated(frame=frame):
            return Enter(id=call_id, frame=frame)
        case ToolStarted():
            return _started(call_id, call, around)
        case _:
            return _run(call_id, call, around)


def _started(call_id: CallId, call: Call, around: Circumstances) -> CallAction:
    if not around.resumed or around.tools.get(call.name, False):
        return Run(id=call_id, call=call, record=False)
    if call.name not in around.tools:
        return Close(id=call_id, result=UNKNOWN_OUTCOME)
    return Confirm(id=call_id, call=call)


def _answered(call_id: CallId, call: Call, about: AskedAbout, answered: Answered, around: Circumstances) -> CallAction:
    match about:
        case AskedAbout.QUESTION:
            return Close(id=call_id, result=result_of(answered), failed=False)
        case AskedAbout.APPROVAL if answered.digest is None:
            return Close(id=call_id, result=refusal_of(answered))
        case AskedAbout.APPROVAL:
            return _run(call_id, call, around, approved=answered.digest)
        case AskedAbout.INTERRUPTED if answered.choice == 0:
            return _run(call_id, call, around)
        case AskedAbout.INTERRUPTED:
            return Close(id=call_id, result=UNKNOWN_OUTCOME)
        case _ as never:
            assert_never(never)


def _run(call_id: CallId, call: Call, around: Circumstances, *, approved: str | None = None) -> CallAction:
    if call.name not in around.tools:
        names = ", ".join(sorted(around.tools)) or "none"
        return Close(id=call_id, result=NO_SUCH_TOOL.format(name=call.name, names=names))
    return Run(id=call_id, call=call, record=not around.tools[call.name], approved=approved)


def _last_about(call_id: CallId, steps: Sequence[Stamped]) -> Stamped | None:
    for stamped in reversed(steps):
        if isinstance(stamped.step, Asked | ToolStarted | Delegated) and stamped.step.call == call_id:
            return stamped
    return None
