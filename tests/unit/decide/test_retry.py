"""When a part is tried again, and when it is given up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.retry import GIVE_UP_AFTER_MS, Verdict, falls_back, goes_on_at, retry_at, settle, without_markup
from core.domain.chat import Principal
from core.domain.delivery import Settled
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unreachable, Unsure
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text, says
from core.domain.pace import Once
from tests.unit.decide.logs import steady

NOW = 1_800_000_000_000
attempts = st.integers(1, 10_000)
jitters = st.floats(0, 1, exclude_max=True)


def at(error: SendError, *, attempt: int = 1, age: int = 0, jitter: float = 0.5) -> int | None:
    found = retry_at(error, attempt=attempt, created=NOW - age, now=NOW, jitter=jitter)
    return None if found is None else found - NOW


@pytest.mark.parametrize(
    ("attempt", "wait"), [(1, 500), (2, 1_000), (3, 2_000), (5, 8_000), (11, 450_000), (999, 450_000)]
)
def test_waits_double_up_to_a_quarter_of_an_hour(attempt: int, wait: int) -> None:
    assert at(NotSent("busy"), attempt=attempt) == wait
    assert at(Unsure("no answer"), attempt=attempt) == wait


@pytest.mark.parametrize("error", [Unreachable("blocked"), Unacceptable("too long")])
def test_what_will_never_be_taken_is_given_up_at_once(error: SendError) -> None:
    assert at(error) is None


def test_a_part_is_given_up_a_day_after_its_reply_was_written() -> None:
    assert at(NotSent("busy"), age=GIVE_UP_AFTER_MS - 1) is not None
    assert at(NotSent("busy"), age=GIVE_UP_AFTER_MS) is None
    assert at(RateLimited("slow", retry_in=1), age=GIVE_UP_AFTER_MS) is None


@pytest.mark.parametrize("wanted", [0, 0.25, 1, 30, 3_600, 86_400])
def test_what_the_platform_asks_for_is_a_floor(wanted: float) -> None:
    for attempt in (1, 50):
        assert at(RateLimited("slow", retry_in=wanted), attempt=attempt, jitter=0) == max(1, round(wanted * 1000))
        assert at(RateLimited("slow", retry_in=wanted), attempt=attempt) == round(wanted * 1000) + 500


@pytest.mark.parametrize("wanted", [math.inf, math.nan, 1e300])
def test_whatever_a_platform_asks_for_a_time_comes_out(wanted: float) -> None:
    at = retry_at(RateLimited("slow down", retry_in=wanted), attempt=1, created=0, now=1, jitter=0.5)
    assert at is None or 1 <= at < 2**62


@steady
@given(attempts, jitters)
def test_a_wait_is_never_longer_than_a_quarter_of_an_hour_and_never_nothing(attempt: int, jitter: float) -> None:
    wait = at(NotSent("busy"), attempt=attempt, jitter=jitter)
    assert wait is not None
    assert 1 <= wait <= min(900_000, 1_000 * 2 ** min(attempt - 1, 20))


@steady
@given(st.floats(-10, 10**6), attempts, jitters)
def test_no_call_goes_out_before_the_floor(wanted: float, attempt: int, jitter: float) -> None:
    wait = at(RateLimited("slow", retry_in=wanted), attempt=attempt, jitter=jitter)
    assert wait is not None
    floor = max(0.0, wanted)
    assert max(1, floor * 1000 - 1) <= wait <= (floor + 1) * 1000 + 1


@pytest.mark.parametrize(
    ("settled", "repeat", "verdict"),
    [
        (Settled.SENT, 0, Verdict.SENT),
        (Settled.SENT, 2, Verdict.SENT),
        (Settled.NOT_SENT, 0, Verdict.SEND),
        (Settled.NOT_SENT, 2, Verdict.SEND),
        (Settled.UNKNOWN, 0, Verdict.LEAVE),
        (Settled.UNKNOWN, 1, Verdict.REPEAT),
        (Settled.UNKNOWN, 2, Verdict.GIVE_UP),
        (Settled.UNKNOWN, 9, Verdict.GIVE_UP),
    ],
)
def test_a_channel_that_cannot_tell_is_left_alone_once_and_gets_one_repeat(
    settled: Settled, repeat: int, verdict: Verdict
) -> None:
    assert settle(settled, repeat) is verdict


def test_a_channel_that_holds_is_given_up_on_at_once_and_believed_when_it_can_tell() -> None:
    assert settle(Settled.UNKNOWN, 0, Once.HOLD) is Verdict.GIVE_UP
    assert settle(Settled.SENT, 0, Once.HOLD) is Verdict.SENT
    assert settle(Settled.NOT_SENT, 0, Once.HOLD) is Verdict.SEND


def test_only_refused_markup_falls_back_and_only_once() -> None:
    marked_up, literal = Reply(fragments=(Text(text="a"), Markdown(source="*b*"))), says("a *b*")
    assert falls_back(Unacceptable("bad markup"), marked_up, plain=False)
    assert not falls_back(Unacceptable("bad markup"), marked_up, plain=True)
    assert not falls_back(Unacceptable("bad markup"), literal, plain=False)
    for error in (Unreachable("blocked"), NotSent("busy"), Unsure("?"), RateLimited("slow", retry_in=1)):
        assert not falls_back(error, marked_up, plain=False)


def test_a_reply_without_markup_keeps_its_words_files_and_choices() -> None:
    anna = Principal(channel="fake", account="acme", user_id="u1", name="Anna")
    file, choice = OutgoingFile(path="a.txt", name="a.txt"), Choice(label="yes", token="t")
    fragments = (Mention(principal=anna), Markdown(source=" *see*"))
    found = without_markup(Reply(fragments=fragments, files=(file,), choices=(choice,)))
    assert found == Reply(fragments=(Text(text="Anna *see*"),), files=(file,), choices=(choice,))
    assert without_markup(Reply(fragments=(), files=(file,))) == Reply(fragments=(), files=(file,))


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 50))
def test_a_reply_that_is_cut_anew_goes_on_at_a_part_that_there_is_and_never_further_on(
    part: int, before: int, now: int
) -> None:
    part = min(part, before - 1)
    at = goes_on_at(part, before=before, now=now)
    assert 0 <= at <= part
    assert at < now
    assert at * before <= part * now or at == 0
    assert goes_on_at(part, before=before, now=before) == part
