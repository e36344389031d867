"""Thinking out of text, whole and while it grows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.think import OPEN_TAGS, spoken, spoken_so_far

WORDS = st.text(alphabet="ab <>\n/think.", max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sunny.", "Sunny."),
        ("  a < b and c > d  ", "  a < b and c > d  "),
        ("<think>hm</think>Sunny.", "Sunny."),
        ("<thinking>\nhm\n</thinking>\n\nSunny.\n", "Sunny."),
        ("\n<think></think>\nSunny.", "Sunny."),
        ("First.\n<think>hm</think>\nSecond.", "First.\n\nSecond."),
        ("<think>one</think><think>two</think>Sunny.", "Sunny."),
        ("hm, so\n</think>\nSunny.", "Sunny."),
        ("<think>never closed", ""),
        ("<think>hm</think>", ""),
        ("Write `<think>` and `</think>` around it.", "Write `<think>` and `</think>` around it."),
        ("The tag <think> opens.", "The tag <think> opens."),
        ("<b>bold</b>", "<b>bold</b>"),
    ],
)
def test_only_what_was_meant_to_be_said_is_left(text: str, expected: str) -> None:
    assert spoken(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<", ""),
        ("  <thi", ""),
        ("<think>hm", ""),
        ("<think>hm</thi", ""),
        ("<think>hm</think>Sun", "Sun"),
        ("First.\n<thin", "First.\n"),
        ("First.\n<think>hm", "First.\n"),
        ("a <", "a <"),
        ("<ul>", "<ul>"),
    ],
)
def test_the_beginning_of_a_tag_is_held_back_until_it_is_clear(text: str, expected: str) -> None:
    assert spoken_so_far(text) == expected


@given(st.lists(WORDS, max_size=4), WORDS)
def test_thinking_in_front_leaves_what_follows(thoughts: list[str], answer: str) -> None:
    blocks = "".join(f"<think>{thought.replace('<', '')}</think>" for thought in thoughts)
    text = answer.replace("<", "").strip()
    assert spoken(blocks + text) == (text if thoughts else blocks + text)


@given(WORDS)
def test_no_growing_text_ever_shows_an_opening_tag_at_its_front(text: str) -> None:
    for length in range(len(text) + 1):
        assert not spoken_so_far(text[:length]).lstrip().startswith(OPEN_TAGS)


def test_a_megabyte_of_tags_takes_no_time_to_speak_of() -> None:
    assert spoken("<think>" * 150_000) == ""
    assert spoken("</think>x" * 100_000).endswith("x")
    assert spoken("\n<think>a</think>" * 60_000) == ""
