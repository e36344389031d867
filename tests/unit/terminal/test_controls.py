"""Text that can only be read."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.markup.controls import strip_controls

FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
CONTROL_HEAVY = st.text(
    alphabet=st.one_of(
        st.sampled_from("\x1b\x9b\x9d\x90\x9c\x07[]P^_X\\0;m?2Jk\n\t\r\x00\x7f\u202e\u2066"),
        st.characters(codec=None),
    ),
    max_size=200,
)
MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("hostile", "readable"),
    [
        ("ok \x1b]0;owned\x07 \x1b[2J done", "ok   done"),
        ("\x1b]52;c;b3duZWQ=\x1b\\clip", "clip"),
        ("\x1b]8;;http://evil\x1b\\here\x1b]8;;\x1b\\", "here"),
        ("\x1bP1$r0m\x1b\\dcs", "dcs"),
        ("\x1b_payload\x1b\\apc \x1b^payload\x1b\\pm \x1bXpayload\x1b\\sos", "apc pm sos"),
        ("\x1bktitle\x1b\\multiplexer", "multiplexer"),
        ("\x9d0;owned\x9c8 bit \x9b31mred\x9b0m", "8 bit red"),
        ("\x1b[31;1mred\x1b[0m \x1b[?25l\x1b[38:2::1:2:3mx", "red x"),
        ("\x1bcreset \x1b7save \x1b(0charset \x1b#8test", "reset save charset test"),
        ("paste \x1b[201~end", "paste end"),
        ("a\rb\bc\x7fd\x00e\x0bf\x0cg", "abcdefg"),
        ("crlf\r\nline", "crlf\nline"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("\u202etxt.exe\u202c \u2066x\u2069", "txt.exe x"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("Grüße 👩‍👩‍👧 שלום 日本", "Grüße 👩‍👩‍👧 שלום 日本"),
        ("[31m is only text without its escape", "[31m is only text without its escape"),
        ("", ""),
    ],
)
def test_sequences_go_with_their_payload_and_words_stay(hostile: str, readable: str) -> None:
    assert strip_controls(hostile) == readable


@pytest.mark.parametrize(
    ("cut", "readable"),
    [
        ("text \x1b", "text "),
        ("text \x1b[", "text "),
        ("text \x1b[12;3", "text "),
        ("text \x1b]0;title", "text "),
        ("text \x1b]0;title\nnext line", "text \nnext line"),
        ("text \x1b]0;title\x1b[1mbold", "text bold"),
        ("text \x1bPq", "text "),
        ("text \x9d52;c;\nnext", "text \nnext"),
        ("text \x1b(", "text "),
    ],
)
def test_an_unfinished_sequence_hides_at_most_the_rest_of_its_line(cut: str, readable: str) -> None:
    assert strip_controls(cut) == readable


@given(CONTROL_HEAVY)
def test_no_text_keeps_a_control_character(text: str) -> None:
    stripped = strip_controls(text)
    assert not FORBIDDEN.search(stripped)
    assert strip_controls(stripped) == stripped
    stripped.encode()


@given(st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs", "Cf")) | st.sampled_from("\n\t"), max_size=200))
def test_text_without_control_characters_is_left_alone(text: str) -> None:
    assert strip_controls(text) == text


@given(CONTROL_HEAVY)
def test_nothing_is_added_or_moved(text: str) -> None:
    rest = iter(text)
    assert all(char in rest for char in strip_controls(text) if char != "\ufffd")


@pytest.mark.parametrize(
    "unit",
    ["\x1b", "\x1b]", "\x1b]a\n", "\x9d\n", "\x9d\x9bm\n", "\x1b[1", "a\x1b", "a\x00", "\x1bPq", "\u202ea", "\ud800a"],
    ids=repr,
)
def test_four_times_a_hostile_text_takes_about_four_times_as_long(unit: str) -> None:
    def seconds(size: int) -> float:
        hostile = unit * (size // len(unit))
        started = time.process_time()
        strip_controls(hostile)
        return time.process_time() - started

    # The best of some tries each; quadratic work would take sixteen times as long.
    long = min(seconds(MEGABYTE) for _ in range(3))
    assert long < 10 * min(seconds(MEGABYTE // 4) for _ in range(5))
