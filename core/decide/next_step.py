"""What a frame does next, from its steps alone: the heart of a turn that can stop anywhere and go on later."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.decide.actions import Action, CallModel, Close, Fail, Finish
from core.decide.open_calls import CUT_CALL, Circumstances, act, open_calls
from core.domain.message import OutgoingFile
from core.domain.step import ModelAnswered, Nudged, Stamped, Steered, ToolFinished

SAY_SOMETHING = "Your answer was empty. Answer the person now, in words."

_CUTS_IN_A_ROW = 3
# So many rounds of exactly the same calls are no work any more.
_SAME_ROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one turn may use, all its frames together, and what one person who is no owner may use in a day (UTC).

    `person_cost` is in US dollars; None is no bound.
    """

    model_calls: int
    tokens: int
    person_tokens: int | None = None
    person_cost: float | None = None


def next_actions(steps: Sequence[Stamped], around: Circumstances, budget: Budget) -> Sequence[Action]:
    """The set of actions that the frame's steps call for, in the order of its open calls."""
    answer = _last_answer(steps)
    if answer is None:
        return (_ask(steps, around, budget),)
    stamped, answered = answer
    if answered.calls:
        still_open = open_calls(stamped.seq, answered, steps)
        if still_open and answered.cut:
            return tuple(Close(id=call_id, result=CUT_CALL) for call_id, _ in still_open)
        if still_open:
            return tuple(act(call_id, call, steps, around) for call_id, call in still_open)
        return (_ask(steps, around, budget),)
    if isinstance(steps[-1].step, Steered):
        # A person said more after this answer.
        return (_ask(steps, around, budget),)
    if (finish := _finish(answered.text, steps)) is not None:
        return (finish,)
    return (_after_silence(stamped.seq, steps, around, budget),)


def _finish(text: str, steps: Sequence[Stamped]) -> Finish | None:
    """The end that an answer without calls is; none when nothing was said at all."""
    said, files = said_since(steps), files_of(steps)
    if not text.strip():
        return Finish(text=said[-1], files=files, said=True) if said else None
    return Finish(text=text, files=files, said=text.strip() in said)


def files_of(steps: Sequence[Stamped]) -> tuple[OutgoingFile, ...]:
    """All files that tools of these steps added to the reply, in call order, each path once."""
    files = {
        file.path: file for stamped in steps if isinstance(stamped.step, ToolFinished) for file in stamped.step.files
    }
    return tuple(files.values())


def said_since(steps: Sequence[Stamped]) -> Sequence[str]:
    """What tools have told this chat since a person last said something."""
    said: list[str] = []
    for stamped in steps:
        match stamped.step:
            case Steered():
                said.clear()
            case ToolFinished(said=str(text)):
                said.append(text.strip())
    return said


def _last_answer(steps: Sequence[Stamped]) -> tuple[Stamped, ModelAnswered] | None:
    for stamped in reversed(steps):
        if isinstance(stamped.step, ModelAnswered):
            return stamped, stamped.step
    return None


def _ask(steps: Sequence[Stamped], around: Circumstances, budget: Budget) -> Action:
    answers = [stamped.step for stamped in steps if isinstance(stamped.step, ModelAnswered)]
    return _exhausted(answers, around, budget) or _standing_still(answers) or CallModel()


def _exhausted(answers: Sequence[ModelAnswered], around: Circumstances, budget: Budget) -> Fail | None:
    if len(answers) + around.spent.model_calls >= budget.model_calls:
        return Fail(cause="cause_limit", what=f"{budget.model_calls} model calls")
    if sum(answer.usage.tokens for answer in answers) + around.spent.tokens >= budget.tokens:
        return Fail(cause="cause_limit", what=f"{budget.tokens} tokens")
    return None


def _standing_still(answers: Sequence[ModelAnswered]) -> Fail | None:
    if len(answers) >= _CUTS_IN_A_ROW and all(answer.cut for answer in answers[-_CUTS_IN_A_ROW:]):
        return Fail(cause="cause_limit", what="the model's output length")
    if len(answers) >= _SAME_ROUNDS and len({answer.calls for answer in answers[-_SAME_ROUNDS:]}) == 1:
        return Fail(cause="cause_no_progress", what=str(_SAME_ROUNDS))
    return None


def _after_silence(seq: int, steps: Sequence[Stamped], around: Circumstances, budget: Budget) -> Action:
    """An empty answer is asked for once more; a second one in a row ends the turn."""
    nudged = any(isinstance(stamped.step, Nudged) for stamped in steps if stamped.seq > seq)
    if nudged:
        return CallModel()
    earlier = [stamped for stamped in steps if stamped.seq < seq]
    if earlier and isinstance(earlier[-1].step, Nudged):
        return Fail(cause="cause_no_answer")
    again = _ask(steps, around, budget)
    return CallModel(nudge=SAY_SOMETHING) if isinstance(again, CallModel) else again
