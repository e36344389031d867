"""Windows and a service on one home: who works, who steps back, who is refused."""

import asyncio
import fcntl
import os
import threading
from pathlib import Path

import pytest

from core.store.lock import FileLock
from tests.fakes.openai_server import OpenAIServer, answers, echoes, hangs
from tests.processes.house import House, answered

# Longer than anybody's look at a lock takes.
LOOKING_S = 0.05
LOOKS = 20_000


async def test_a_service_without_channels_opens_this_terminal_and_says_why(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        service = await house.terminal("run")
        await service.shows("No channel is configured in", "so this terminal is the channel.")
        service.says("hello")
        await service.has("re: hello")
        assert await service.is_left() == 0


async def test_a_service_without_channels_and_without_a_terminal_says_what_to_add(house: House) -> None:
    done = await house.does("run")
    assert done.code == 2
    assert done.complaint.startswith(f"parley: No channel is configured in {house.home / 'parley.toml'}")
    assert "[channels.NAME]" in done.complaint


def test_two_windows_that_look_for_a_service_do_not_take_each_other_for_one(tmp_path: Path) -> None:
    path, done = tmp_path / "run.lock", threading.Event()
    path.touch()

    def look() -> None:
        while not done.is_set():
            FileLock(path).taken()

    other = threading.Thread(target=look)
    other.start()
    try:
        assert not any(FileLock(path).taken() for _ in range(LOOKS))
    finally:
        done.set()
        other.join()


async def test_a_window_that_looks_at_this_very_moment_does_not_keep_a_service_from_starting(house: House) -> None:
    looking = os.open(house.home / "run.lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(looking, fcntl.LOCK_SH)
    asyncio.get_running_loop().call_later(LOOKING_S, os.close, looking)
    service = await house.terminal("run")
    assert await service.is_left() == 0


async def test_a_second_service_is_refused_with_the_first_ones_process(house: House) -> None:
    first = await house.terminal("run")
    done = await house.does("run")
    assert done.code == 1
    assert f"process {first.process.pid}" in done.complaint
    assert await first.is_left() == 0


async def test_a_session_that_another_window_shows_is_refused_with_that_windows_process(house: House) -> None:
    first = await house.window()
    done = await house.does("chat", "--session", "default", said="hello\n")
    assert done.code == 1
    assert "session default" in done.complaint
    assert f"process {first.process.pid}" in done.complaint
    assert house.conversation() == []
    assert await first.is_left() == 0
    assert (await house.does("chat", "--session", "default")).code == 0


async def test_windows_that_name_no_session_count_on(house: House) -> None:
    windows = [await house.window() for _ in range(3)]
    for window, session in zip(windows, ("default", "default-2", "default-3"), strict=True):
        await window.shows(f"session {session},")


async def test_a_window_steps_back_for_a_service_and_its_turn_goes_on_there(house: House) -> None:
    async with OpenAIServer(hangs(), answers("From the service.")) as server:
        house.uses(server)
        window = await house.window()
        window.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        service = await house.terminal("run")
        assert await house.settled() == [answered("hello", "From the service.")]
        await window.has("From the service.")
        assert "From the service." not in service.screen.text()
    assert [seen.outcome for seen in server.ledger] == ["aborted", "answered"]


@pytest.mark.parametrize("ends", ["is left", "is killed"])
async def test_a_window_works_again_when_the_service_has_gone(house: House, ends: str) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        window = await house.window()
        service = await house.terminal("run")
        window.says("one")
        await window.has("re: one")
        if ends == "is left":
            assert await service.is_left() == 0
        else:
            await service.process.is_killed()
        window.says("two")
        await window.has("re: one", "re: two")


async def test_a_pipe_beside_a_window_is_answered_by_it(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        window = await house.window()
        done = await house.does("chat", said="one\ntwo\n")
        assert (done.code, done.output, done.errors) == (0, "re: one\nre: two\n", "")
        assert "re: one" not in window.screen.text()
    assert [one.said for one in house.conversation("default-2")] == ["one", "two"]


async def test_processes_that_start_together_on_a_new_home_are_all_answered(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        numbers = range(4)
        done = await asyncio.gather(*(house.does("chat", said=f"{number}\n") for number in numbers))
    assert [(one.code, one.output, one.errors) for one in done] == [(0, f"re: {number}\n", "") for number in numbers]


async def test_a_session_with_the_longest_name_counts_on_too(house: House) -> None:
    name = "x" * 64
    house.settings(f'[channels.terminal]\nsession = "{name}"\n')
    first = await house.window()
    assert (await house.does("chat", said="hello\n")).code == 0
    assert len(house.conversation(f"{name[:-2]}-2")) == 1
    assert await first.is_left() == 0
