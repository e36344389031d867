"""A process that is killed right after it was told to stop, or to begin anew."""

import signal

import pytest

from tests.fakes.openai_server import OpenAIServer, answers, hangs
from tests.processes.house import House, answered, until


@pytest.mark.parametrize(("command", "reply"), [("/stop", "Stopped."), ("/new", "New conversation.")])
async def test_what_was_stopped_stays_stopped(house: House, command: str, reply: str) -> None:
    async with OpenAIServer(hangs(), answers("Fine.")) as server:
        house.uses(server)
        first = await house.window()
        first.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        first.says(command)
        await house.until(lambda told: [one.state for one in told] == ["stopped"])
        await first.process.is_killed()
        second = await house.window()
        second.says("next")
        stopped, after = await house.settled(2)
        assert (stopped.state, stopped.replies) == ("stopped", ())
        assert after == answered("next", "Fine.")
        await second.has("Fine.")
        shown = first.screen.text().count(reply) + second.screen.text().count(reply)
    assert shown in (1, 2)
    assert second.screen.text().count(reply) <= 1
    assert len(server.ledger) == 2


async def test_a_command_that_was_not_performed_yet_is_performed_by_the_next_process(house: House) -> None:
    async with OpenAIServer(answers("Welcome.")) as server:
        house.uses(server)
        holder = await house.window()
        other = await house.window()
        other.says("hi")
        await house.settled(1, "default-2")
        holder.process.signals(signal.SIGSTOP)
        other.says("/model test")
        await until(house.pending_commands, lambda pending: pending == ["model"])
        await holder.process.is_killed()
        await other.process.is_killed()
        back = await house.window("--session", "default-2")
        await back.has("This chat now uses test.")
        assert house.pending_commands() == []
