"""The terminal without a person in front of it, on real pipes."""

import asyncio
import os
from pathlib import Path

import pytest

from channels.terminal import descriptors
from channels.terminal.lines import Lines
from channels.terminal.pipes import Argument, Stream
from channels.terminal.screen import TranscriptLine, show_transcript
from core.domain.chat import ChatKey
from core.domain.errors import NotSent, StoreFull
from core.domain.message import Dropped, Inbound, OutgoingFile, Reply, Text, says
from core.ports import Accepted
from tests.unit.terminal.desk import NOON, Desk
from tests.unit.terminal.plumbing import LIMIT, Plumbing, plumbing


async def talk(pipes: Plumbing, desk: Desk) -> None:
    """Listen and answer until the input has ended and all is answered."""
    pipes.channel.answer_in_step(desk.quiet)
    await asyncio.wait_for(desk.run(pipes.channel), 5)


async def test_each_line_is_answered_and_only_answers_reach_the_output() -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.types(b"one\n\ntwo\nthree")
        await talk(pipes, desk)
        assert desk.said == ["one", "two", "three"]
        assert pipes.stdout.text() == "you said one\nyou said two\nyou said three\n"
        assert pipes.stderr.text() == ""
        assert not pipes.channel.failed


async def test_a_paste_is_one_message_and_an_end_inside_it_delivers_what_came() -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.types(b"\x1b[200~line 1\nline 2\nline 3\x1b[201~\n\x1b[200~never\nended")
        await talk(pipes, desk)
        assert desk.said == ["line 1\nline 2\nline 3", "never\nended"]


async def test_the_next_line_waits_until_the_one_before_is_answered() -> None:
    with plumbing() as pipes:
        desk = Desk(answer=lambda text: says(f"answer to {text}, {len(desk.events)} taken"))
        pipes.types(b"one\ntwo\n")
        await talk(pipes, desk)
        assert pipes.stdout.text() == "answer to one, 1 taken\nanswer to two, 2 taken\n"


async def test_the_whole_input_can_be_one_message() -> None:
    with plumbing(whole=True) as pipes:
        desk = Desk()
        pipes.types(b"a file\nwith lines\n")
        await talk(pipes, desk)
        assert desk.said == ["a file\nwith lines"]


async def test_an_argument_is_one_message_and_the_input_is_not_read() -> None:
    with plumbing(source=Argument("hello\nyou")) as pipes:
        desk = Desk()
        pipes.types(b"unread\n")
        await talk(pipes, desk)
        assert desk.said == ["hello\nyou"]
        assert os.read(pipes.stdin.read_end, 100) == b"unread\n"


async def test_a_line_is_taken_while_the_input_stays_open() -> None:
    with plumbing() as pipes:
        desk = Desk()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(desk.run(pipes.channel))
            pipes.types(b"hel", ends=False)
            pipes.types(b"lo\n", ends=False)
            assert await pipes.stdout.reads() == "you said hello\n"
            pipes.stdin.close_writing()
            await running


async def test_exit_ends_it_before_the_input_does() -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.types(b"one\n/exit\ntwo\n", ends=False)
        await talk(pipes, desk)
        assert desk.said == ["one"]


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00\n", b"\x1b]0;x\x07\n", b"\x1b[200~\x00\x1b[201~\x1b[20\n", b"\r\r\r\n"]
)
async def test_no_bytes_stop_it(data: bytes) -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.types(data + b"after\n")
        await talk(pipes, desk)
        assert desk.said[-1] == "after"
        assert not any("\x00" in said for said in desk.said)


async def test_a_line_that_is_too_long_is_refused_aloud_and_the_next_is_taken() -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.types(b"x" * (LIMIT + 1) + b"\n" + b"y" * LIMIT + b"\n")
        await talk(pipes, desk)
        assert desk.said == ["y" * LIMIT]
        assert pipes.stderr.text() == "This message was not taken: it is longer than 1,000 characters.\n"
        assert pipes.channel.failed


async def test_a_message_that_cannot_be_stored_ends_it_aloud() -> None:
    async def accept(event: Inbound | Dropped) -> Accepted:
        raise StoreFull("free some space")

    with plumbing() as pipes:
        pipes.types(b"one\ntwo\n")
        await pipes.channel.listen(accept)
        assert pipes.stderr.text() == "This message was not stored: free some space\n"
        assert pipes.channel.failed


async def test_when_nobody_reads_the_output_any_more_it_ends() -> None:
    with plumbing() as pipes:
        desk = Desk()
        pipes.stdout.close_reading()
        pipes.types(b"one\ntwo\n", ends=False)
        await talk(pipes, desk)
        assert desk.said == ["one"]
        assert [type(error) for error in desk.refused] == [NotSent]
        assert pipes.channel.failed


async def test_an_answer_that_nobody_can_be_shown_is_not_waited_for() -> None:
    async def never(chat: ChatKey) -> None:
        await asyncio.Event().wait()

    with plumbing() as pipes:
        pipes.stdout.close_reading()
        pipes.channel.answer_in_step(never)
        pipes.types(b"one\ntwo\n", ends=False)
        await asyncio.wait_for(Desk().run(pipes.channel), 5)


async def test_an_answer_longer_than_a_pipe_holds_does_not_stop_the_loop() -> None:
    long = "word " * 100_000
    with plumbing() as pipes:
        part = pipes.channel.render(says(long))[0]
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(pipes.channel.send(pipes.channel.chat, part, "k"))
            read = await pipes.stdout.reads()
            assert not sending.done()
            while not read.endswith("\n"):
                read += await pipes.stdout.reads()
        assert read == long + "\n"


async def test_the_descriptors_are_left_as_they_were() -> None:
    with plumbing() as pipes:
        pipes.types(b"one\n")
        await talk(pipes, Desk())
        assert os.get_blocking(pipes.stdin.read_end)
        assert os.get_blocking(pipes.stdout.write_end)


async def test_a_reader_that_is_cancelled_loses_no_line() -> None:
    with plumbing() as pipes:
        pipes.types(b"one\ntwo\nthr", ends=False)
        stream = Stream(pipes.stdin.read_end, Lines(limit=LIMIT))
        assert await stream.next() == "one"
        assert await stream.next() == "two"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(stream.next(), 0.01)
        pipes.types(b"ee\n")
        assert [await stream.next(), await stream.next()] == ["three", None]


async def lines_of(fd: int | None) -> list[str]:
    """All messages of an input."""
    stream = Stream(fd, Lines(limit=LIMIT))
    lines = []
    while (line := await asyncio.wait_for(stream.next(), 5)) is not None:
        lines.append(line)
    return lines


async def test_files_that_the_kernel_does_not_watch_can_be_read_and_written(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+b", buffering=0) as file:
        await descriptors.write(file.fileno(), b"one\ntwo\n" * 10_000)
        file.seek(0)
        assert await lines_of(file.fileno()) == ["one", "two"] * 10_000
    with Path(os.devnull).open("rb") as null:
        assert await lines_of(null.fileno()) == []


async def test_an_input_that_was_closed_from_the_start_has_ended() -> None:
    assert await lines_of(None) == []


async def test_an_input_that_cannot_be_read_ends_it_aloud(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with plumbing(source=Stream(folder, Lines(limit=LIMIT))) as pipes:
            await talk(pipes, Desk())
            assert pipes.stderr.text().startswith("The input cannot be read: [Errno 21]")
            assert pipes.channel.failed
    finally:
        os.close(folder)


async def test_progress_is_one_line_beside_the_replies_where_a_person_sees_it() -> None:
    with plumbing(attended=True) as pipes:
        pipes.channel.progress(pipes.channel.chat, "Working: a")
        pipes.channel.progress(pipes.channel.chat, "Working: a")
        pipes.channel.draft(pipes.channel.chat, "half an answer")
        await pipes.channel.send(pipes.channel.chat, pipes.channel.render(says("done"))[0], "k")
        assert pipes.stderr.text() == "\r\x1b[KWorking: a\r\x1b[K"
        assert pipes.stdout.text() == "done\n"


async def test_progress_is_not_shown_where_nobody_sees_it() -> None:
    with plumbing() as pipes:
        pipes.channel.progress(pipes.channel.chat, "Working: a")
        assert pipes.stderr.text() == ""


async def test_an_earlier_conversation_stays_off_the_output() -> None:
    with plumbing() as pipes:
        await show_transcript(pipes.pipes, [TranscriptLine(who="ann", text="before\x1b[2J", at=NOON)])
        assert pipes.stdout.text() == ""
        assert pipes.stderr.text().split("\n")[1] == "before"


async def test_files_and_choices_follow_the_words() -> None:
    file = OutgoingFile(path="a.pdf", name="a.pdf")
    with plumbing() as pipes:
        part = pipes.channel.render(Reply(fragments=(Text(text="here\n"),), files=(file,)))[0]
        await pipes.channel.send(pipes.channel.chat, part, "k")
        assert pipes.stdout.text() == "here\n[file] a.pdf: /w/a.pdf\n"


async def test_the_same_key_is_shown_once() -> None:
    with plumbing() as pipes:
        part = pipes.channel.render(says("once"))[0]
        for _ in range(2):
            assert (await pipes.channel.send(pipes.channel.chat, part, "k")).message_id == "k"
        assert pipes.stdout.text() == "once\n"
