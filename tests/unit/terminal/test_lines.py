"""From bytes to messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.terminal.lines import Lines

PIECES = st.lists(st.sampled_from([b"\x1b[200~", b"\x1b[201~", b"\n", b"\r\n", b"ab", "é".encode(), b"\xff", b"\x1b["]))


def messages(*chunks: bytes, limit: int = 100, whole: bool = False) -> list[str]:
    """All messages of an input that comes in these pieces."""
    lines = Lines(limit=limit, whole=whole)
    return [message for chunk in chunks for message in lines.feed(chunk)] + lines.end()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"\n\n", ["", ""]),
        (b"", []),
        (b"\x1b[200~line 1\nline 2\nline 3\x1b[201~\n", ["line 1\nline 2\nline 3"]),
        (b"look: \x1b[200~a\nb\x1b[201~ and that\nnext\n", ["look: a\nb and that", "next"]),
        (b"\x1b[200~never\nended", ["never\nended"]),
        (b"stray end\x1b[201~\n", ["stray end"]),
        (b"not a mark \x1b[20", ["not a mark \x1b[20"]),
        (b"\xff\xfe broken\n", ["\ufffd\ufffd broken"]),
        (b"cut \xc3", ["cut \ufffd"]),
    ],
)
def test_a_line_is_a_message_and_so_is_a_paste(data: bytes, expected: list[str]) -> None:
    assert messages(data) == expected


@given(PIECES, st.data())
def test_it_does_not_matter_where_the_input_is_cut(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert messages(*chunks) == messages(stream)


def test_the_whole_input_can_be_one_message() -> None:
    assert messages(b"one\n", b"two\n\nthree\n", whole=True) == ["one\ntwo\n\nthree"]
    assert messages(whole=True) == []


@pytest.mark.parametrize(("size", "kept"), [(9, 9), (10, 10), (11, 11), (5_000, 11)])
def test_an_endless_line_is_kept_only_far_enough_to_see_that_it_is_too_long(size: int, kept: int) -> None:
    chunks = [b"x"] * size
    assert messages(*chunks, b"\nnext\n", limit=10) == ["x" * kept, "next"]
