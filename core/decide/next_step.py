"""What a frame does next, from its steps alone: the heart of a turn that can stop anywhere and go on later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain.message import OutgoingFile
from core.domain.step import Asked, Call, CallId, ModelAnswered, Nudged, Stamped, Step, ToolFinished, ToolStarted

UNKNOWN_OUTCOME = (
    "The gateway stopped while this call ran. Whether it took effect is unknown. It was not repeated: "
    "check before you call it again, and tell the person."
)
CUT_CALL = (
    "Not run: the answer was cut at the output limit in the middle of this call. Do it in smaller pieces, "
    "or answer without it."
)
NO_SUCH_TOOL = "There is no tool {name}. The tools are: {names}."
SAY_SOMETHING = "Your answer was empty. Answer the person now, in words."

_CUTS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Run an open call. With `record` a started step comes first, because the call cannot be repeated."""

    id: CallId
    call: Call
    record: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Give an open call its result without running it."""

    id: CallId
    result: str
    failed: bool = True


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
    """The turn has its answer: the text of its last model step and the files that its tools added."""

    text: str
    files: tuple[OutgoingFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The turn cannot be answered; `cause` names a text, `what` fills it."""

    cause: str
    what: str = ""


Action = Run | Close | Blocked | CallModel | Finish | Fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the steps alone do not tell.

    `tools` maps each tool that the frame has to whether its calls may be repeated. `answers` holds what people said to
    questions of this frame. `resumed` says that no call of this frame runs right now, so one that was started and has
    no result was interrupted.
    """

    tools: Mapping[str, bool]
    answers: Mapping[CallId, str]
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one turn may use."""

    model_calls: int
    tokens: int


def next_actions(steps: Sequence[Stamped], around: Circumstances, budget: Budget) -> Sequence[Action]:
    """The set of actions that the frame's steps call for, in the order of its open calls."""
    answer = _last_answer(steps)
    if answer is None:
        return (CallModel(),)
    stamped, answered = answer
    if answered.calls:
        open_calls = _open_calls(stamped.seq, answered, steps)
        if open_calls:
            return tuple(_act(call_id, call, answered, steps, around) for call_id, call in open_calls)
        return (_ask_again(steps, budget),)
    if answered.text.strip():
        return (Finish(text=answered.text, files=files_of(steps)),)
    return (_after_silence(stamped.seq, steps, budget),)


def files_of(steps: Sequence[Stamped]) -> tuple[OutgoingFile, ...]:
    """All files that tools of these steps added to the reply, in call order, each path once."""
    files = {
        file.path: file for stamped in steps if isinstance(stamped.step, ToolFinished) for file in stamped.step.files
    }
    return tuple(files.values())


def _last_answer(steps: Sequence[Stamped]) -> tuple[Stamped, ModelAnswered] | None:
    for stamped in reversed(steps):
        if isinstance(stamped.step, ModelAnswered):
            return stamped, stamped.step
    return None


def _open_calls(seq: int, answered: ModelAnswered, steps: Sequence[Stamped]) -> Sequence[tuple[CallId, Call]]:
    closed = {stamped.step.call for stamped in steps if isinstance(stamped.step, ToolFinished)}
    ids = ((CallId(step=seq, index=index), call) for index, call in enumerate(answered.calls))
    return tuple((call_id, call) for call_id, call in ids if call_id not in closed)


def _act(
    call_id: CallId,
    call: Call,
    answered: ModelAnswered,
    steps: Sequence[Stamped],
    around: Circumstances,
) -> Action:
    if answered.cut:
        return Close(id=call_id, result=CUT_CALL)
    so_far = {type(stamped.step) for stamped in steps if _is_about(stamped.step, call_id)}
    if Asked in so_far:
        answer = around.answers.get(call_id)
        return Blocked(id=call_id) if answer is None else Close(id=call_id, result=answer, failed=False)
    if call.name not in around.tools:
        names = ", ".join(sorted(around.tools)) or "none"
        return Close(id=call_id, result=NO_SUCH_TOOL.format(name=call.name, names=names))
    return _run(call_id, call, around, started=ToolStarted in so_far)


def _run(call_id: CallId, call: Call, around: Circumstances, *, started: bool) -> Action:
    if around.tools[call.name]:
        return Run(id=call_id, call=call, record=False)
    if started and around.resumed:
        return Close(id=call_id, result=UNKNOWN_OUTCOME)
    return Run(id=call_id, call=call, record=not started)


def _is_about(step: Step, call_id: CallId) -> bool:
    return isinstance(step, Asked | ToolStarted) and step.call == call_id


def _ask_again(steps: Sequence[Stamped], budget: Budget) -> Action:
    answers = [stamped.step for stamped in steps if isinstance(stamped.step, ModelAnswered)]
    if len(answers) >= budget.model_calls:
        return Fail(cause="cause_limit", what=f"{budget.model_calls} model calls")
    if sum(answer.usage.tokens for answer in answers) >= budget.tokens:
        return Fail(cause="cause_limit", what=f"{budget.tokens} tokens")
    if len(answers) >= _CUTS_IN_A_ROW and all(answer.cut for answer in answers[-_CUTS_IN_A_ROW:]):
        return Fail(cause="cause_limit", what="the model's output length")
    return CallModel()


def _after_silence(seq: int, steps: Sequence[Stamped], budget: Budget) -> Action:
    """An empty answer is asked for once more; a second one in a row ends the turn."""
    nudged = any(isinstance(stamped.step, Nudged) for stamped in steps if stamped.seq > seq)
    if nudged:
        return CallModel()
    earlier = [stamped for stamped in steps if stamped.seq < seq]
    if earlier and isinstance(earlier[-1].step, Nudged):
        return Fail(cause="cause_no_answer")
    again = _ask_again(steps, budget)
    return CallModel(nudge=SAY_SOMETHING) if isinstance(again, CallModel) else again
