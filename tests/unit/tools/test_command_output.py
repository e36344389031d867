"""What is kept of a command's output."""

import pytest

from core.tools.command_output import HEAD, KEPT, MOST_BYTES, TAIL, CommandOutput
from core.tools.text import readable


def kept(*chunks: bytes) -> str:
    output = CommandOutput()
    for chunk in chunks:
        output.feed(chunk)
    output.feed(b"", last=True)
    return output.text()


def test_up_to_the_limit_nothing_is_cut() -> None:
    text = "".join(chr(ord("a") + n % 26) for n in range(KEPT))
    assert kept(text.encode()) == text
    assert kept(*(text[start : start + 7].encode() for start in range(0, KEPT, 7))) == text


def test_one_character_past_it_a_line_says_how_much_is_left_out() -> None:
    text = "".join(chr(ord("a") + n % 26) for n in range(KEPT + 1))
    assert kept(text.encode()) == f"{text[:HEAD]}\n[... 1 characters are left out here ...]\n{text[-TAIL:]}"
    assert (HEAD, TAIL) == (4_000, 6_000)


def test_beginning_and_end_of_a_long_output_are_kept() -> None:
    text = kept(b"first\n", *(b"x" * 65_536 for _ in range(20)), b"\nlast")
    assert text.startswith("first\nxxx")
    assert text.endswith("xxx\nlast")
    assert "[... 1,300,731 characters are left out here ...]" in text
    assert len(text) < KEPT + 60


def test_characters_that_are_cut_between_two_chunks_are_whole_again() -> None:
    euro = "€".encode()
    assert kept(euro[:1], euro[1:2], euro[2:]) == "€"
    assert kept(b"a\xff\xfeb", euro[:2]) == "a��b�"


def test_a_flood_is_noticed() -> None:
    output = CommandOutput()
    output.feed(b"x" * MOST_BYTES)
    assert not output.flooded
    output.feed(b"x")
    assert output.flooded


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;aGk=\x1b\\text", "text"),
        ("a\x1b(Bb\x1bc", "ab"),
        ("10%\r20%\r\ndone", "10%\n20%\ndone"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\x00b\x08c\x7f\x9b31md", "a�b�c�d"),
        ("user\u202eexe.txt\u2066", "user�exe.txt�"),
    ],
)
def test_only_text_is_left(raw: str, shown: str) -> None:
    assert readable(raw) == shown
