"""When the next call to a platform may go."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.decide.pace import after_call, at_call, free_at, without_call
from core.domain.pace import Pace, Scope
from tests.unit.decide.logs import steady

NOW = 1_800_000_000_000
rates = st.floats(0.05, 100)
bursts = st.integers(1, 30)


def pace(per_s: float = 1, burst: int = 1) -> Pace:
    return Pace(scope=Scope.CHAT, per_s=per_s, burst=burst)


def calls(one: Pace, asked: list[int]) -> list[int]:
    """When calls go out that are asked for at these moments, each as soon as it may."""
    full_at, now, gone = 0.0, NOW, []
    for pause in asked:
        now += pause
        while free_at(full_at, one, now) > now:
            now = max(now + 1, int(free_at(full_at, one, now)))
        full_at = after_call(full_at, one, now)
        gone.append(now)
    return gone


def test_an_unused_bucket_lets_its_burst_through_at_once_and_then_one_at_a_time() -> None:
    assert [at - NOW for at in calls(pace(2, burst=3), [0] * 6)] == [0, 0, 0, 500, 1_000, 1_500]


def test_a_bucket_fills_again_while_nobody_calls() -> None:
    assert [at - NOW for at in calls(pace(1, burst=2), [0, 0, 0, 2_000, 0])] == [0, 0, 1_000, 3_000, 3_000]


@steady
@given(rates, bursts, st.lists(st.integers(0, 3_000), max_size=60))
def test_no_window_holds_more_calls_than_the_bucket_and_what_filled_it(
    per_s: float, burst: int, asked: list[int]
) -> None:
    gone = calls(pace(per_s, burst), asked)
    for first, start in enumerate(gone):
        for last in range(first, len(gone)):
            assert last - first + 1 <= burst + (gone[last] - start) * per_s / 1000 + 0.001


@steady
@given(rates, bursts, st.lists(st.integers(0, 3_000), max_size=60))
def test_no_call_waits_longer_than_one_call_takes_to_come_back(per_s: float, burst: int, asked: list[int]) -> None:
    gone = calls(pace(per_s, burst), asked)
    assert all(after - before <= 1000 / per_s + 3_000 + 1 for before, after in pairwise(gone))


@steady
@given(rates, bursts, st.floats(0, 10.0**15))
def test_a_clock_that_was_set_back_makes_nobody_wait_longer_than_for_an_empty_bucket(
    per_s: float, burst: int, full_at: float
) -> None:
    one = pace(per_s, burst)
    assert free_at(full_at, one, NOW) - NOW <= 1000 / per_s + 0.01
    assert after_call(full_at, one, NOW) - NOW <= (burst + 1) * 1000 / per_s + 0.01


@steady
@given(rates, bursts, st.integers(0, 5_000))
def test_a_call_that_came_to_nothing_leaves_the_bucket_as_it_was(per_s: float, burst: int, later: int) -> None:
    one = pace(per_s, burst)
    before = after_call(0, one, NOW)
    again = without_call(after_call(before, one, NOW + later), one)
    assert free_at(again, one, NOW + later) == pytest.approx(max(free_at(before, one, NOW + later), 0), abs=5_001)
    assert (free_at(again, one, NOW + later) <= NOW + later) == (free_at(before, one, NOW + later) <= NOW + later)


@pytest.mark.parametrize(("per_s", "burst"), [(0, 1), (-1, 1), (float("nan"), 1), (1, 0)])
def test_a_bucket_that_lets_nothing_through_is_a_bug(per_s: float, burst: int) -> None:
    with pytest.raises(ValueError, match="nothing could ever go out"):
        pace(per_s, burst)


def test_the_next_call_keeps_its_distance_from_when_a_call_really_went_out() -> None:
    one = pace(1)
    counted = after_call(0, one, NOW)
    assert free_at(at_call(counted, one, NOW + 300), one, NOW + 300) == NOW + 1_300
    assert at_call(counted, one, NOW) == counted
