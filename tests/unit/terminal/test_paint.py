"""How things look in a window."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.markup.controls import strip_controls
from channels.terminal.attended import colors_of
from channels.terminal.outbound import render
from channels.terminal.paint import Paint
from core.domain.message import Choice, Markdown, OutgoingFile, Reply, Text

PAINT = Paint(colors="standard", no_color=True, plain=False, workspace=Path("/w"))
PLAIN = Paint(colors="standard", no_color=True, plain=True, workspace=Path("/w"))


def drawn(reply: Reply, *, width: int = 40, paint: Paint = PAINT) -> list[str]:
    """The rows without bold and the like."""
    return [row.rstrip() for row in strip_controls(paint.part(render(reply)[0], width)).split("\n")]


def test_markdown_is_drawn_at_the_width_of_the_terminal() -> None:
    reply = Reply(fragments=(Markdown(source="one **two** three four"),))
    assert drawn(reply, width=14) == ["one two three", "four", "", ""]


def test_literal_text_is_left_as_it_is() -> None:
    reply = Reply(fragments=(Text(text="2*3*4 _is_ `24`\n  # and so on" + " word" * 10),))
    assert drawn(reply)[:2] == ["2*3*4 _is_ `24`", "  # and so on" + " word" * 10]


def test_literal_text_between_markup_is_not_read_as_markup() -> None:
    reply = Reply(fragments=(Markdown(source="**bold** "), Text(text="2*3*4 [x](y) <b>\nnext")))
    assert drawn(reply)[:2] == ["bold 2*3*4 [x](y) <b>", "next"]


def test_a_plain_window_shows_markdown_as_it_was_written() -> None:
    assert drawn(Reply(fragments=(Markdown(source="# **x**"),)), paint=PLAIN)[0] == "# **x**"


def test_a_link_shows_where_it_leads() -> None:
    reply = Reply(fragments=(Markdown(source="[the bank](http://evil.example/)"),))
    assert drawn(reply, width=60)[0] == "the bank (http://evil.example/)"


def test_files_and_choices_stand_below_the_words() -> None:
    reply = Reply(
        fragments=(Markdown(source="Pick"),),
        files=(OutgoingFile(path="a.pdf", name="a.pdf"),),
        choices=(Choice(label="Left", token="t"),),
    )
    assert drawn(reply) == ["Pick", "[file] a.pdf: /w/a.pdf", "1. Left", "", ""]


def test_a_very_long_reply_is_shown_as_it_was_written() -> None:
    reply = Reply(fragments=(Markdown(source="**x** " * 20_000),))
    assert drawn(reply)[0].startswith("**x** **x**")


HIDING_PLACES = (
    *("<http://a/%1b]0;owned%07>", "[x](http://a/%1b[2J)", "![x](%1b)", "`\x1b]0;x\x07`", "<b>", "text", "\n\n"),
    *("&#27;[2J", "&#x9b;2J", "&#x202e;", "**", "> ", "- ", "|a|b|\n|-|-|\n|%1b|&#x202e;|\n"),
)


@given(st.lists(st.sampled_from(HIDING_PLACES)))
def test_no_control_character_comes_out_of_drawing(pieces: list[str]) -> None:
    painted = PAINT.part(render(Reply(fragments=(Markdown(source="".join(pieces)),)))[0], 40)
    # Only what the drawing itself may use: attributes on and off.
    for row in painted.split("\n"):
        without_attributes = "".join(piece.partition("m")[2] for piece in ("m" + row).split("\x1b["))
        assert without_attributes == strip_controls(without_attributes)


@pytest.mark.parametrize(
    ("terminal", "color_terminal", "colors"),
    [("xterm-256color", "truecolor", "truecolor"), ("xterm-256color", "", "256"), ("linux", "", "standard")],
)
def test_a_terminal_gets_the_colours_that_it_has(terminal: str, color_terminal: str, colors: str) -> None:
    assert colors_of(terminal, color_terminal) == colors
