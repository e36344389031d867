"""What a frame does next, from its steps alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.actions import Action, Blocked, CallModel, Close, Confirm, Enter, Fail, Finish, Run
from core.decide.next_step import SAY_SOMETHING, Budget, files_of, next_actions
from core.decide.open_calls import CUT_CALL, UNKNOWN_OUTCOME, Circumstances, Spent
from core.domain.message import OutgoingFile
from core.domain.step import (
    Asked,
    AskedAbout,
    Call,
    CallId,
    Delegated,
    ModelAnswered,
    Nudged,
    Stamped,
    Steered,
    Step,
    ToolFinished,
    ToolStarted,
)
from core.domain.turn import Usage
from core.domain.wait import Answered
from tests.unit.decide.logs import TOOLS, Turn, damaged, model_answers, stamped, steady

BUDGET = Budget(model_calls=50, tokens=10_000)
LOOK = Call(name="look", arguments="{}")
PAY = Call(name="pay", arguments="{}")
ASK = Call(name="ask", arguments="{}")
MAGIC = Call(name="magic", arguments="{}")


def after(
    *happened: Step, budget: Budget = BUDGET, resumed: bool = False, answers: Mapping[int, Answered] | None = None
) -> Sequence[Action]:
    return next_actions(stamped(happened), Circumstances(tools=TOOLS, answers=answers or {}, resumed=resumed), budget)


def answered(*calls: Call, text: str = "", cut: bool = False, tokens: int = 0) -> ModelAnswered:
    return ModelAnswered(text=text, calls=calls, cut=cut, usage=Usage(prompt_tokens=tokens))


def call(index: int = 0, step: int = 1) -> CallId:
    return CallId(step=step, index=index)


def result(index: int = 0, step: int = 1, files: tuple[OutgoingFile, ...] = ()) -> ToolFinished:
    return ToolFinished(call=call(index, step), result="done", files=files)


def test_a_turn_begins_by_asking_the_model() -> None:
    assert after() == (CallModel(),)


def test_an_answer_in_words_ends_the_turn() -> None:
    assert after(answered(text="hello")) == (Finish(text="hello", files=()),)


def test_words_beside_calls_do_not_end_the_turn() -> None:
    assert after(answered(LOOK, text="I look")) == (Run(id=call(), call=LOOK, record=False),)


def test_calls_are_run_in_their_order_and_only_unrepeatable_ones_are_recorded() -> None:
    assert after(answered(LOOK, PAY, LOOK)) == (
        Run(id=call(0), call=LOOK, record=False),
        Run(id=call(1), call=PAY, record=True),
        Run(id=call(2), call=LOOK, record=False),
    )


def test_only_open_calls_are_run() -> None:
    assert after(answered(LOOK, PAY), result(1)) == (Run(id=call(0), call=LOOK, record=False),)


def test_a_whole_round_is_followed_by_the_model() -> None:
    assert after(answered(LOOK, PAY), result(1), result(0)) == (CallModel(),)


def test_results_of_an_earlier_round_close_no_call_of_this_one() -> None:
    steps = (answered(LOOK), result(0), answered(LOOK))
    assert after(*steps) == (Run(id=call(0, 3), call=LOOK, record=False),)


def test_a_call_of_no_tool_is_closed_with_the_names_of_the_real_ones() -> None:
    assert after(answered(MAGIC)) == (
        Close(id=call(), result="There is no tool magic. The tools are: ask, look, pay."),
    )
    (close,) = next_actions(stamped([answered(MAGIC)]), Circumstances(tools={}, answers={}), BUDGET)
    assert close == Close(id=call(), result="There is no tool magic. The tools are: none.")


def test_calls_of_an_answer_that_was_cut_are_not_run() -> None:
    assert after(answered(LOOK, PAY, MAGIC, cut=True)) == tuple(Close(id=call(n), result=CUT_CALL) for n in range(3))


def test_a_third_cut_answer_in_a_row_ends_the_turn() -> None:
    rounds: list[tuple[Step, Step]] = [(answered(LOOK, cut=True), result(0, step)) for step in (1, 3, 5)]
    assert after(*chain(*rounds[:2])) == (CallModel(),)
    assert after(*chain(*rounds)) == (Fail(cause="cause_limit", what="the model's output length"),)
    uncut = (answered(LOOK), result(0, 3))
    assert after(*rounds[0], *uncut, *(answered(LOOK, cut=True), result(0, 5))) == (CallModel(),)


@pytest.mark.parametrize(
    ("started", "resumed", "name", "expected"),
    [
        (False, False, PAY, Run(id=call(), call=PAY, record=True)),
        (False, True, PAY, Run(id=call(), call=PAY, record=True)),
        (True, False, PAY, Run(id=call(), call=PAY, record=False)),
        (True, True, PAY, Confirm(id=call(), call=PAY)),
        (False, True, LOOK, Run(id=call(), call=LOOK, record=False)),
        (True, True, LOOK, Run(id=call(), call=LOOK, record=False)),
    ],
)
def test_only_an_interrupted_call_that_cannot_be_repeated_is_asked_about(
    started: bool, resumed: bool, name: Call, expected: Action
) -> None:
    steps: list[Step] = [answered(name)]
    if started:
        steps.append(ToolStarted(call=call()))
    assert after(*steps, resumed=resumed) == (expected,)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answered(text="Run again", choice=0), Run(id=call(), call=PAY, record=True)),
        (Answered(text="Leave it", choice=1), Close(id=call(), result=UNKNOWN_OUTCOME)),
        (Answered(text="Leave it", choice=1, in_time=False), Close(id=call(), result=UNKNOWN_OUTCOME)),
        (Answered(text="(not among the choices) hm"), Close(id=call(), result=UNKNOWN_OUTCOME)),
    ],
)
def test_an_interrupted_call_runs_again_only_after_a_clear_yes(answer: Answered, expected: Action) -> None:
    steps = (answered(PAY), ToolStarted(call=call()), Asked(call=call(), about=AskedAbout.INTERRUPTED))
    assert after(*steps, resumed=True) == (Blocked(id=call()),)
    assert after(*steps, resumed=True, answers={3: answer}) == (expected,)


def test_a_call_that_was_interrupted_twice_is_asked_about_twice() -> None:
    once_more = (answered(PAY), ToolStarted(call=call()), Asked(call=call(), about=AskedAbout.INTERRUPTED))
    yes = {3: Answered(text="Run again", choice=0)}
    assert after(*once_more, ToolStarted(call=call()), resumed=True, answers=yes) == (Confirm(id=call(), call=PAY),)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answered(text="Once", choice=0, digest="d"), Run(id=call(), call=PAY, record=True, approved="d")),
        (
            Answered(text="Deny", choice=2),
            Close(
                id=call(), result="Not run: this was not approved. Do not try it another way; say what you would need."
            ),
        ),
        (
            Answered(text=None, in_time=False),
            Close(
                id=call(),
                result="Not run: nobody approved this in time. Do not try it another way; say what you would need.",
            ),
        ),
    ],
)
def test_a_call_that_needs_leave_runs_only_with_what_was_approved(answer: Answered, expected: Action) -> None:
    asked = (answered(PAY), Asked(call=call(), about=AskedAbout.APPROVAL))
    assert after(*asked) == (Blocked(id=call()),)
    assert after(*asked, answers={2: answer}) == (expected,)


def test_a_call_of_a_child_frame_goes_on_with_that_frame() -> None:
    steps = (answered(LOOK, PAY), Delegated(call=call(0), frame=7), ToolStarted(call=call(1)))
    assert after(*steps, resumed=True) == (Enter(id=call(0), frame=7), Confirm(id=call(1), call=PAY))
    assert after(*steps, result(0), result(1)) == (CallModel(),)


def test_what_a_person_says_after_the_answer_is_heard_first() -> None:
    assert after(answered(text="done"), Steered(inbound=3)) == (CallModel(),)
    assert after(answered(text="done"), Steered(inbound=3), answered(text="and that")) == (
        Finish(text="and that", files=()),
    )


def test_all_frames_of_a_turn_share_its_budget() -> None:
    budget = Budget(model_calls=3, tokens=100)
    for spent, what in ((Spent(model_calls=3), "3 model calls"), (Spent(tokens=100), "100 tokens")):
        around = Circumstances(tools=TOOLS, answers={}, spent=spent)
        assert next_actions((), around, budget) == (Fail(cause="cause_limit", what=what),)
    around = Circumstances(tools=TOOLS, answers={}, spent=Spent(model_calls=2, tokens=99))
    assert next_actions((), around, budget) == (CallModel(),)


def test_the_same_round_again_and_again_is_no_progress() -> None:
    rounds: list[Step] = []
    for n in range(8):
        rounds += [answered(LOOK), result(0, 2 * n + 1)]
    assert after(*rounds[:-2]) == (CallModel(),)
    assert after(*rounds) == (Fail(cause="cause_no_progress", what="8"),)
    other: list[Step] = [answered(PAY), result(0, 15)]
    assert after(*rounds[:-2], *other) == (CallModel(),)


def test_an_unknown_outcome_stops_no_other_call() -> None:
    steps = (answered(PAY, LOOK, PAY), ToolStarted(call=call(0)), ToolStarted(call=call(2)), result(2))
    assert after(*steps, resumed=True) == (
        Confirm(id=call(0), call=PAY),
        Run(id=call(1), call=LOOK, record=False),
    )


def test_a_call_that_waits_for_a_person_is_blocked_until_the_answer_is_its_result() -> None:
    asked = (answered(ASK), Asked(call=call()))
    for resumed in (False, True):
        assert after(*asked, resumed=resumed) == (Blocked(id=call()),)
        assert after(*asked, resumed=resumed, answers={2: Answered(text="four")}) == (
            Close(id=call(), result="User reply: four", failed=False),
        )


def test_only_the_call_that_waits_is_blocked() -> None:
    asked = (answered(ASK, LOOK, ASK), Asked(call=call(0)), Asked(call=call(2)))
    assert after(*asked, answers={3: Answered(text="yes")}) == (
        Blocked(id=call(0)),
        Run(id=call(1), call=LOOK, record=False),
        Close(id=call(2), result="User reply: yes", failed=False),
    )


def test_a_question_that_has_its_result_asks_no_more() -> None:
    assert after(answered(ASK), Asked(call=call()), result(), answers={2: Answered(text="late")}) == (CallModel(),)


def test_a_question_of_a_tool_that_is_gone_can_still_be_answered() -> None:
    around = Circumstances(tools={}, answers={2: Answered(text="yes")})
    (close,) = next_actions(stamped([answered(ASK), Asked(call=call())]), around, BUDGET)
    assert close == Close(id=call(), result="User reply: yes", failed=False)


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_an_empty_answer_is_asked_for_once_more(text: str) -> None:
    assert after(answered(text=text)) == (CallModel(nudge=SAY_SOMETHING),)
    assert after(answered(text=text), Nudged(text="say")) == (CallModel(),)
    assert after(answered(text=text), Nudged(text="say"), answered(text=text)) == (Fail(cause="cause_no_answer"),)
    assert after(answered(text=text), Nudged(text="say"), answered(text="now")) == (Finish(text="now", files=()),)


def test_an_empty_answer_after_work_is_asked_for_again() -> None:
    steps = (answered(), Nudged(text="say"), answered(LOOK), result(0, 3), answered())
    assert after(*steps) == (CallModel(nudge=SAY_SOMETHING),)


def test_model_calls_are_counted_up_to_their_bound() -> None:
    rounds: list[Step] = [answered(LOOK), result(0, 1), answered(LOOK), result(0, 3), answered(LOOK), result(0, 5)]
    assert after(*rounds, budget=Budget(model_calls=4, tokens=10)) == (CallModel(),)
    assert after(*rounds, budget=Budget(model_calls=3, tokens=10)) == (Fail(cause="cause_limit", what="3 model calls"),)


def test_tokens_are_counted_up_to_their_bound() -> None:
    steps = (answered(LOOK, tokens=50), result(0), answered(LOOK, tokens=50), result(0, 3))
    assert after(*steps, budget=Budget(model_calls=9, tokens=101)) == (CallModel(),)
    assert after(*steps, budget=Budget(model_calls=9, tokens=100)) == (Fail(cause="cause_limit", what="100 tokens"),)


def test_an_answer_at_the_bound_is_still_given() -> None:
    assert after(answered(text="hello", tokens=99), budget=Budget(model_calls=1, tokens=1)) == (
        Finish(text="hello", files=()),
    )


def test_a_nudge_counts_as_a_call_of_the_model() -> None:
    assert after(answered(), budget=Budget(model_calls=1, tokens=9)) == (
        Fail(cause="cause_limit", what="1 model calls"),
    )


def test_files_of_tools_go_with_the_answer_each_path_once_in_order() -> None:
    a, b, newer = (OutgoingFile(path=path, name=name) for path, name in (("a", "1"), ("b", "2"), ("a", "3")))
    steps = stamped([answered(LOOK, LOOK), result(0, files=(a, b)), result(1, files=(newer,)), answered(text="here")])
    assert files_of(steps) == (newer, b)
    assert next_actions(steps, Circumstances(tools=TOOLS, answers={}), BUDGET) == (
        Finish(text="here", files=(newer, b)),
    )


@steady
@given(damaged, st.booleans())
def test_any_log_leads_to_one_kind_of_thing_to_do(log: tuple[Stamped, ...], resumed: bool) -> None:
    actions = next_actions(log, Circumstances(tools=TOOLS, answers={}, resumed=resumed), BUDGET)
    ids = [action.id for action in actions if isinstance(action, Run | Enter | Confirm | Close | Blocked)]
    assert len(ids) == len(actions) or (not ids and len(actions) == 1)
    assert ids == sorted(set(ids), key=lambda one: (one.step, one.index))


@steady
@given(damaged, st.booleans())
def test_only_open_calls_of_the_newest_answer_are_acted_on(log: tuple[Stamped, ...], resumed: bool) -> None:
    actions = next_actions(log, Circumstances(tools=TOOLS, answers={}, resumed=resumed), BUDGET)
    ids = {action.id for action in actions if isinstance(action, Run | Enter | Confirm | Close | Blocked)}
    closed = {one.step.call for one in log if isinstance(one.step, ToolFinished)}
    assert not closed & ids
    newest = max((one.seq for one in log if isinstance(one.step, ModelAnswered)), default=0)
    assert all(one.step == newest for one in ids)


@steady
@given(damaged, st.booleans())
def test_a_decision_depends_on_nothing_but_its_arguments(log: tuple[Stamped, ...], resumed: bool) -> None:
    around = Circumstances(tools=TOOLS, answers={}, resumed=resumed)
    assert next_actions(log, around, BUDGET) == next_actions(log, around, BUDGET)


budgets = st.builds(
    lambda calls, tokens: Budget(model_calls=calls, tokens=tokens), st.integers(1, 6), st.integers(1, 500)
)


@steady
@given(st.lists(model_answers, max_size=12), model_answers, st.lists(st.booleans(), max_size=12), budgets)
def test_every_turn_comes_to_an_end_and_no_call_gets_two_results(
    answers: list[ModelAnswered], last: ModelAnswered, crashes: list[bool], budget: Budget
) -> None:
    coming, crashing = chain(answers, repeat(last)), chain(crashes, repeat(False))
    turn = Turn(budget=budget, answer=lambda: next(coming), crashes=lambda: next(crashing))
    # Each answer takes a step to ask, one to run, one to wait and one to close; each crash repeats at most one of them
    # and may be asked about, which is answered, run and closed.
    bound = 5 * budget.model_calls + 5 * len(crashes) + 3
    assert any(turn.do(turn.decide()) is not None for _ in range(bound)), turn.log
    assert len(steps_of(turn, ModelAnswered)) <= budget.model_calls
    assert once(step.call for step in steps_of(turn, Asked) if step.about is AskedAbout.QUESTION)
    results = [step.call for step in steps_of(turn, ToolFinished)]
    assert once(results)
    assert set(results) == calls_of(turn)
    # What cannot be repeated runs once, and once more for each time that a person said so.
    ran = Counter(call_id for call_id in turn.ran if name_of(turn, call_id) == "pay")
    again = Counter(step.call for step in steps_of(turn, Asked) if step.about is AskedAbout.INTERRUPTED)
    assert all(times <= 1 + again[call_id] for call_id, times in ran.items())


StepT = TypeVar("StepT", bound=Step)


def steps_of(turn: Turn, kind: type[StepT]) -> list[StepT]:
    """All steps of a kind."""
    return [one.step for one in turn.log if isinstance(one.step, kind)]


def once(ids: Iterable[CallId]) -> bool:
    """Whether none comes twice."""
    return max(Counter(ids).values(), default=1) == 1


def calls_of(turn: Turn) -> set[CallId]:
    """Every call that the model made."""
    return {
        CallId(step=one.seq, index=index)
        for one in turn.log
        if isinstance(one.step, ModelAnswered)
        for index in range(len(one.step.calls))
    }


def name_of(turn: Turn, call_id: CallId) -> str:
    """The tool that was called."""
    step = turn.log[call_id.step - 1].step
    assert isinstance(step, ModelAnswered)
    return step.calls[call_id.index].name


def told(text: str, *, files: tuple[OutgoingFile, ...] = ()) -> ToolFinished:
    return ToolFinished(call=call(), result="sent", said=text, files=files)


@pytest.mark.parametrize("last", ["", " \n", "It is belt 42.", " It is belt 42.\n"])
def test_what_was_said_already_is_not_said_again(last: str) -> None:
    (end,) = after(answered(LOOK), told("It is belt 42."), answered(text=last))
    assert isinstance(end, Finish)
    assert (end.said, end.text.strip()) == (True, "It is belt 42.")


def test_other_words_than_those_that_were_said_are_an_answer() -> None:
    assert after(answered(LOOK), told("I look."), answered(text="Belt 42.")) == (Finish(text="Belt 42.", files=()),)


def test_files_still_go_out_when_the_words_were_said_already() -> None:
    plan = OutgoingFile(path="plan.pdf", name="plan.pdf")
    ends = after(answered(LOOK), told("Here.", files=(plan,)), answered())
    assert ends == (Finish(text="Here.", files=(plan,), said=True),)


def test_what_was_said_before_a_person_spoke_again_is_no_answer_to_that() -> None:
    steps = (answered(LOOK), told("Here."), Steered(inbound=7), answered())
    assert after(*steps) == (CallModel(nudge=SAY_SOMETHING),)
    assert after(*steps[:-1], answered(text="Here.")) == (Finish(text="Here.", files=()),)
