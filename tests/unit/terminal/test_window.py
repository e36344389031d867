"""The window on a real pseudo-terminal."""

import asyncio
import sys
from pathlib import Path

import pytest

from channels.terminal.history import OwnerHistory
from channels.terminal.inbound import chat_of
from channels.terminal.screen import TranscriptLine, show_transcript
from core.domain.errors import StoreFull
from core.domain.message import Dropped, Inbound, Markdown, Reply, says
from core.ports import Accepted
from tests.unit.terminal.desk import NOON
from tests.unit.terminal.sitting import sitting

CTRL_C, CTRL_D, UP, TAB = "\x03", "\x04", "\x1b[A", "\t"


async def test_a_typed_line_is_one_message_and_its_answer_stands_below_it() -> None:
    async with sitting() as here:
        here.terminal.types("hello\r")
        await here.terminal.stands("> hello", "you said hello", "", ">")
        assert here.desk.said == ["hello"]


async def test_a_pasted_block_is_one_message() -> None:
    async with sitting(lambda text: says(text.replace("\n", " / "))) as here:
        here.terminal.pastes("line 1\nline 2\nline 3")
        here.terminal.types("\r")
        await here.terminal.stands("> line 1", "  line 2", "  line 3", "line 1 / line 2 / line 3", "", ">")
        assert here.desk.said == ["line 1\nline 2\nline 3"]


async def test_an_empty_line_says_nothing() -> None:
    async with sitting() as here:
        here.terminal.types("\r  \rhello\r")
        await here.terminal.shows("you said hello")
        assert here.desk.said == ["hello"]


async def test_an_answer_that_comes_while_something_is_typed_stands_above_it() -> None:
    async with sitting(lambda text: None) as here:
        here.terminal.types("half typed")
        await here.terminal.shows("> half typed")
        await here.channel.send(here.channel.chat, here.channel.render(says("an answer"))[0], "k")
        await here.terminal.stands("an answer", "", "> half typed")


async def test_what_others_print_meanwhile_stands_above_the_prompt() -> None:
    async with sitting() as here:
        here.terminal.types("half")
        await here.terminal.shows("> half")
        sys.stderr.write("a log line\n")
        await here.terminal.stands("a log line", "> half")


async def test_a_draft_stands_above_the_prompt_and_goes_when_the_answer_is_there() -> None:
    async with sitting(lambda text: None) as here:
        here.channel.progress(here.channel.chat, "Working: thinking")
        here.channel.draft(here.channel.chat, "Once upon")
        await here.terminal.stands("Once upon", "Working: thinking", ">")
        here.channel.draft(here.channel.chat, "Once upon a time")
        await here.terminal.stands("Once upon a time", "Working: thinking", ">")
        await here.channel.send(here.channel.chat, here.channel.render(says("Once upon a time."))[0], "k")
        await here.terminal.stands("Once upon a time.", "", ">")


async def test_a_draft_that_starts_anew_takes_the_place_of_the_old_one() -> None:
    async with sitting() as here:
        here.channel.draft(here.channel.chat, "The first attempt at an answer")
        await here.terminal.shows("first attempt")
        here.channel.draft(here.channel.chat, "The")
        await here.terminal.stands("The", ">")


async def test_a_draft_that_arrives_after_its_answer_is_not_shown_again() -> None:
    async with sitting() as here:
        await here.channel.send(here.channel.chat, here.channel.render(says("All of it."))[0], "k")
        here.channel.draft(here.channel.chat, "All of")
        here.channel.progress(here.channel.chat, "next")
        await here.terminal.stands("All of it.", "", "next", ">")
        here.channel.draft(here.channel.chat, "Another")
        await here.terminal.shows("Another")


async def test_only_the_end_of_a_long_draft_is_shown() -> None:
    async with sitting() as here:
        here.channel.draft(here.channel.chat, "\n".join(f"row {number}" for number in range(100)))
        await here.terminal.stands(*(f"row {number}" for number in range(90, 100)), ">")


async def test_a_draft_of_another_chat_is_not_shown() -> None:
    async with sitting() as here:
        here.channel.draft(chat_of("ann", "other"), "secret")
        here.channel.progress(here.channel.chat, "mine")
        await here.terminal.stands("mine", ">")


async def test_a_narrower_window_leaves_no_trace_of_the_draft() -> None:
    async with sitting() as here:
        here.channel.draft(here.channel.chat, "\n".join(f"row {number} of the draft" for number in range(8)))
        here.terminal.types("typed")
        await here.terminal.shows("row 7", "> typed")
        here.terminal.resizes(40, 16)
        here.terminal.types(" on")
        await here.terminal.shows("> typed on")
        await here.channel.send(here.channel.chat, here.channel.render(says("word " * 15))[0], "k")
        await here.terminal.stands("word " * 7 + "word", "word " * 6 + "word", "", "> typed on")


async def test_ctrl_c_stops_what_runs_and_leaves_the_typed_line_alone() -> None:
    async with sitting(lambda text: says("Stopped.") if text == "/stop" else None) as here:
        here.terminal.types("a long task\r")
        await here.terminal.shows("> a long task")
        here.terminal.types("next" + CTRL_C)
        await here.terminal.stands("> a long task", "> /stop", "Stopped.", "", "> next")
        assert here.desk.said == ["a long task", "/stop"]


async def test_after_a_stop_ctrl_c_is_about_the_line_again() -> None:
    async with sitting(lambda text: says("Stopped.") if text == "/stop" else None) as here:
        here.terminal.types("a long task\ranother\r")
        await here.terminal.shows("> another")
        here.terminal.types(CTRL_C)
        await here.terminal.shows("Stopped.")
        here.terminal.types(CTRL_C + CTRL_C)
        await here.terminal.shows("leaves")
        assert here.desk.said == ["a long task", "another", "/stop"]


async def test_ctrl_c_stops_a_turn_of_an_earlier_window_whose_draft_is_shown() -> None:
    async with sitting() as here:
        here.channel.draft(here.channel.chat, "something")
        await here.terminal.shows("something")
        here.terminal.types(CTRL_C)
        await here.terminal.shows("you said /stop")


async def test_ctrl_c_clears_the_line_and_then_says_how_to_leave() -> None:
    async with sitting() as here:
        here.terminal.types("unwanted")
        await here.terminal.shows("> unwanted")
        here.terminal.types(CTRL_C)
        await here.terminal.hides("unwanted")
        here.terminal.types(CTRL_C + CTRL_C)
        await here.terminal.stands("Ctrl-D or /exit leaves.", ">")
        here.terminal.types("x")
        await here.terminal.stands("> x")
        assert here.desk.events == []


@pytest.mark.parametrize("keys", [CTRL_D, "/exit\r", " /EXIT \r"])
async def test_ctrl_d_and_exit_leave(keys: str) -> None:
    async with sitting() as here:
        here.terminal.types(keys)
        await asyncio.wait_for(here.listening, 5)
        assert here.desk.events == []
        assert not here.channel.failed


async def test_what_was_typed_before_ctrl_d_is_still_stored() -> None:
    async with sitting() as here:
        here.terminal.types("one\rtwo\r" + CTRL_D)
        await asyncio.wait_for(here.listening, 5)
        assert here.desk.said == ["one", "two"]


async def test_a_queued_message_is_told_how_many_stand_before_it() -> None:
    async def accept(event: Inbound | Dropped) -> Accepted:
        return Accepted(inbound=1, chat_row=1, queued_before=2)

    async with sitting(accept=accept) as here:
        here.terminal.types("hello\r")
        await here.terminal.stands("> hello", "queued, 2 before it", ">")


async def test_a_message_that_was_not_stored_is_given_back_with_the_reason() -> None:
    async def accept(event: Inbound | Dropped) -> Accepted:
        raise StoreFull("the disk is full")

    async with sitting(accept=accept) as here:
        here.terminal.types("precious\r")
        await here.terminal.stands("> precious", "This message was not stored: the disk is full", "> precious")


async def test_a_message_that_is_too_long_is_refused_aloud() -> None:
    async with sitting() as here:
        here.terminal.pastes("x" * 1_001)
        here.terminal.types("\r")
        await here.terminal.shows("This message was not taken: it is longer than 1,000")
        assert isinstance(here.desk.events[0], Dropped)
        assert here.channel.failed


async def test_nothing_that_a_terminal_obeys_gets_through() -> None:
    hostile = "ok \x1b]0;owned\x07 \x1b[2J \x1b]52;c;b3duZWQ=\x1b\\ <http://a/%1b]0;owned%07> &#x202e; \x1b[201~ done"
    async with sitting(lambda text: Reply(fragments=(Markdown(source=hostile),))) as here:
        here.channel.draft(here.channel.chat, hostile)
        await here.terminal.shows("done")
        here.terminal.types("hello\r")
        await here.terminal.until(lambda text: text.rfind("done") > text.find("> hello") >= 0, "answered")
        for code in (b"\x1b]", b"\x07", b"\x1b[2J", b"[201~", "\u202e".encode()):
            assert code not in here.terminal.raw


async def test_no_color_leaves_no_color() -> None:
    reply = Reply(fragments=(Markdown(source="# Title\n\n`code` **bold**\n\n```python\nprint(1)\n```"),))
    async with sitting(lambda text: reply, no_color=True) as here:
        here.terminal.types("hello\r")
        await here.terminal.shows("print(1)")
        for color in (b"[3%d" % number for number in range(1, 8)):
            assert color not in here.terminal.raw
    async with sitting(lambda text: reply, no_color=False) as here:
        here.terminal.types("hello\r")
        await here.terminal.shows("print(1)")
        assert b"\x1b[1;36;40mcode" in here.terminal.raw


async def test_the_arrow_key_brings_back_what_an_earlier_window_said(tmp_path: Path) -> None:
    async with sitting(history=OwnerHistory(tmp_path / "kept")) as here:
        here.terminal.types("remember me\r")
        await here.terminal.shows("you said remember me")
    async with sitting(history=OwnerHistory(tmp_path / "kept")) as here:
        here.terminal.types(UP)
        await here.terminal.shows("> remember me")


async def test_tab_completes_a_command() -> None:
    async with sitting() as here:
        here.terminal.types("/sta" + TAB)
        await here.terminal.shows("> /status")


async def test_an_earlier_conversation_is_shown_with_names_and_times() -> None:
    async with sitting() as here:
        await show_transcript(
            here.window,
            [
                TranscriptLine(who="ann", text="**what** I asked", at=NOON),
                TranscriptLine(who="Parley", text="**what** I answered", at=NOON + 60_000, markdown=True),
            ],
        )
        lines = await here.terminal.shows("answered")
        assert lines[1] == "**what** I asked"
        assert lines[4] == "what I answered"
        assert lines[0].startswith("ann, 2026-03-01 ")


async def test_a_window_that_is_cancelled_ends_and_frees_the_terminal() -> None:
    async with sitting() as here:
        here.listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await here.listening
        await here.terminal.until(lambda text: b"\x1b[?2004l" in here.terminal.raw, "was freed")
