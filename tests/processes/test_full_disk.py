"""A disk that is full: what could not be stored is said not to be stored, and all goes on when there is space."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.fakes.openai_server import OpenAIServer, echoes, held
from tests.processes.house import House, answered
from tests.processes.small_disk import Disk, mounted
from tests.processes.window import ENTER


@pytest.fixture
def disk(house: House) -> Iterator[Disk]:
    """The house's home folder lies on it."""
    with mounted(house.home, "3M") as disk:
        yield disk


async def test_a_message_that_cannot_be_stored_is_given_back_and_taken_when_there_is_space(
    house: House, disk: Disk
) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        window = await house.window()
        window.says("one")
        await house.settled()
        disk.fills_up()
        window.says("two")
        await window.shows("This message was not stored: the store has no space left")
        await window.screen.until(lambda text: text.endswith("\n> two"), "gave the message back")
        assert house.conversation() == [answered("one", "re: one")]
        disk.has_space()
        window.presses(ENTER)
        assert await house.settled(2) == [answered("one", "re: one"), answered("two", "re: two")]
        await window.has("re: one", "re: two")


async def test_a_pipe_stops_at_the_message_that_could_not_be_stored(house: House, disk: Disk) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.piped("chat")
        await piped.says("one\n")
        await house.settled()
        disk.fills_up()
        await piped.says("two\nthree\n")
        done = await piped.done()
        assert (done.code, done.output) == (1, "re: one\n")
        assert done.errors.startswith("This message was not stored: the store has no space left")
        disk.has_space()
        again = await house.does("chat", said="two\nthree\n")
    assert (again.code, again.output) == (0, "re: two\nre: three\n")
    assert [one.said for one in house.conversation()] == ["one", "two", "three"]


async def test_an_answer_that_comes_while_the_disk_is_full_waits_for_space(house: House, disk: Disk) -> None:
    async with OpenAIServer(held("The answer.")) as server:
        house.uses(server)
        piped = await house.piped("chat", "-m", "hello")
        await server.until(lambda: len(server.ledger) == 1)
        disk.fills_up()
        server.release()
        await server.until(lambda: server.ledger[0].outcome == "answered")
        assert piped.output.text == ""
        disk.has_space()
        done = await piped.done()
    assert (done.code, done.output) == (0, "The answer.\n")
    assert house.conversation() == [answered("hello", "The answer.")]
    assert len(server.ledger) == 1


async def test_a_process_that_dies_on_a_full_disk_loses_nothing(house: House, disk: Disk) -> None:
    async with OpenAIServer(held("Lost."), echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.piped("chat", "-m", "hello")
        await server.until(lambda: len(server.ledger) == 1)
        disk.fills_up()
        server.release()
        await server.until(lambda: server.ledger[0].outcome == "answered")
        await piped.process.is_killed()
        disk.has_space()
        done = await house.does("chat", said="next\n")
    assert (done.code, done.output) == (0, "re: hello\nre: next\n")


async def test_a_disk_that_may_only_be_read_is_said(house: House, disk: Disk) -> None:
    assert (await house.does("chat", said="hello\n")).code == 0
    subprocess.run(["mount", "-o", "remount,ro", house.home], check=True)
    done = await house.does("chat", said="hello\n")
    assert done.code == 1
    assert str(house.home) in done.complaint
    assert "read-only" in done.complaint.lower()


@pytest.mark.parametrize("file_bytes", [1_000, 10_000, 100_000])
async def test_a_quota_that_the_store_does_not_fit_in_is_said(house: House, file_bytes: int) -> None:
    piped = await house.ordered(house.order(["chat"], file_bytes=file_bytes))
    await piped.says("hello\n")
    done = await piped.done()
    assert done.code == 1
    assert "no space left" in done.complaint
    assert (await house.does("chat", said="hello\n")).code == 0


async def test_a_start_on_a_full_disk_says_so(house: House, disk: Disk) -> None:
    disk.fills_up()
    done = await house.does("chat", said="hello\n")
    assert done.code == 1
    assert "free space" in done.complaint
    disk.has_space()
    assert (await house.does("chat", said="hello\n")).code == 0


async def test_a_file_that_may_not_grow_at_all_says_so(house: House) -> None:
    piped = await house.ordered(house.order(["chat"], file_bytes=0))
    await piped.says("hello\n")
    done = await piped.done()
    assert done.code == 1
    assert "free space" in done.complaint
    assert (await house.does("chat", said="hello\n")).code == 0


# How many files there may be, the exit code, and the reason that the one line gives.
@pytest.mark.parametrize(
    ("files", "code", "reason"),
    [(4, 2, "no space left on device"), (9, 1, "no space left on device"), (12, 1, "unable to open database file")],
)
async def test_a_disk_that_takes_no_more_files_is_said(house: House, files: int, code: int, reason: str) -> None:
    with mounted(house.home, "3M", f"nr_inodes={files}"):
        done = await house.does("chat", said="hello\n")
        assert done.code == code
        assert reason in done.complaint.lower()
        subprocess.run(["mount", "-o", "remount,nr_inodes=200", house.home], check=True)
        assert (await house.does("chat", said="hello\n")).code == 0
