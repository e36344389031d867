"""The lines above the prompt."""

import time

from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from channels.terminal.region import DRAFT_WIDTH, Region, rows, tail


def test_nothing_to_show_takes_no_row() -> None:
    assert rows(Region(), width=80, height=24) == []


def test_the_draft_stands_above_what_is_being_done_and_the_hint_below() -> None:
    region = Region(draft="one\ntwo", progress="Working:\nthinking", hint="a hint")
    assert rows(region, width=12, height=24) == [
        ("draft", "one"),
        ("draft", "two"),
        ("progress", "Working: thi"),
        ("hint", "a hint"),
    ]


def test_a_low_window_keeps_room_for_the_conversation() -> None:
    region = Region(draft="\n".join(str(number) for number in range(50)))
    assert [len(rows(region, width=80, height=height)) for height in (40, 12, 3)] == [10, 6, 1]


def test_a_wide_window_still_breaks_the_draft_early() -> None:
    drawn = rows(Region(draft="x" * 300), width=200, height=24)
    assert max(len(row) for _, row in drawn) == DRAFT_WIDTH


@given(st.text(alphabet=st.sampled_from("ab \n\t日本é\u0301👩\x1b[]\x07"), max_size=300), st.integers(2, 40))
def test_no_row_is_wider_than_it_may_be(text: str, width: int) -> None:
    drawn = tail(text, width=width, count=5)
    assert len(drawn) <= 5
    assert all(get_cwidth(row) <= width for row in drawn)
    assert not any(code in row for row in drawn for code in "\x1b\x07\n\t")


def test_a_long_draft_costs_no_more_than_a_short_one() -> None:
    def seconds(lines: int) -> float:
        draft = "a word and another one\n" * lines
        started = time.process_time()
        for _ in range(20):
            rows(Region(draft=draft), width=80, height=24)
        return time.process_time() - started

    # Drawing all of it would take a thousand times as long.
    assert min(seconds(100_000) for _ in range(3)) < 50 * min(seconds(100) for _ in range(3))
