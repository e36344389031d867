"""Windows and a service on one store, killed in turn while messages are under way."""

import signal
import time

import pytest

from tests.crash.talker import PREFIX, Talker
from tests.fakes.openai_server import OpenAIServer, answers, echoes, hangs, held
from tests.processes.house import House, answered

MESSAGES = 20
# What a busy machine may add.
SLACK_S = 1.0


async def test_a_service_and_two_windows_are_killed_in_turn(house: House) -> None:
    async with OpenAIServer(echoes(PREFIX), repeat_last=True) as server:
        house.uses(server)
        one = Talker(house, "default", await house.window())
        two = Talker(house, "default-2", await house.window())
        service = await house.terminal("run")
        one.says(MESSAGES)
        two.says(MESSAGES)
        await one.answered(4)
        await service.process.is_killed()
        await one.answered(8)
        service = await house.terminal("run")
        await one.answered(10)
        await one.loses_the_window()
        await two.answered(15)
        await two.loses_the_window()
        await one.is_content()
        await two.is_content()
        assert [await window.is_left() for window in (one.window, two.window, service)] == [0, 0, 0]


@pytest.mark.parametrize("arguments", [(), ("--resume",)])
async def test_two_windows_are_killed_in_turn_and_the_other_one_works_on(
    house: House, arguments: tuple[str, ...]
) -> None:
    async with OpenAIServer(echoes(PREFIX), repeat_last=True) as server:
        house.uses(server)
        one = Talker(house, "default", await house.window())
        two = Talker(house, "default-2", await house.window())
        one.says(MESSAGES)
        two.says(MESSAGES)
        await two.answered(5)
        await one.loses_the_window(*arguments)
        await one.answered(10)
        await two.loses_the_window(*arguments)
        await one.is_content()
        await two.is_content()


async def test_a_message_that_was_stored_and_not_begun_is_answered_when_both_processes_are_gone(house: House) -> None:
    async with OpenAIServer(echoes(PREFIX), repeat_last=True) as server:
        house.uses(server)
        holder = await house.window()
        other = await house.window()
        other.says("hi")
        await house.settled(1, "default-2")
        holder.process.signals(signal.SIGSTOP)
        other.says("hello")
        await house.until(lambda told: [one.state for one in told] == ["done", "queued"], "default-2")
        await holder.process.is_killed()
        await other.process.is_killed()
        next_one = await house.window("--session", "default-2")
        assert await house.settled(2, "default-2") == [answered("hi", "re: hi"), answered("hello", "re: hello")]
        await next_one.has("re: hello")


async def test_a_reply_that_no_window_was_there_for_waits_for_one(house: House) -> None:
    async with OpenAIServer(held("Patience.")) as server:
        house.uses(server)
        await house.window()
        other = await house.window()
        other.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        await other.process.is_killed()
        server.release()
        await house.until(lambda told: [one.replies for one in told] == [(("Patience.", "new"),)], "default-2")
        next_one = await house.window()
        assert await house.settled(1, "default-2") == [answered("hello", "Patience.")]
        await next_one.has("Patience.")
    assert len(server.ledger) == 1


async def test_a_window_takes_over_within_a_second(house: House) -> None:
    async with OpenAIServer(hangs(), answers("Taken over.")) as server:
        house.uses(server)
        holder = await house.window()
        await house.window()
        holder.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        await holder.process.is_killed()
        began = time.monotonic()
        await server.until(lambda: len(server.ledger) == 2)
        assert time.monotonic() - began < 1.0 + SLACK_S
        back = await house.window()
        assert await house.settled() == [answered("hello", "Taken over.")]
        await back.has("Taken over.")
