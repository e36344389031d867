"""SIGINT, and a terminal that goes away."""

import signal

import pytest

from tests.fakes.openai_server import OpenAIServer, hangs
from tests.processes.house import House
from tests.processes.started import QUICK_S


@pytest.mark.parametrize("anew", [False, True])
async def test_an_interrupted_pipe_ends_with_130_and_its_message_is_kept(house: House, anew: bool) -> None:
    async with OpenAIServer(hangs()) as server:
        house.uses(server)
        piped = await house.piped("chat", "-m", "hello", anew=anew)
        await server.until(lambda: len(server.ledger) == 1)
        piped.process.signals(signal.SIGINT)
        assert await piped.process.ended(QUICK_S) == 130
    assert [one.state for one in house.conversation()] == ["queued"]
    assert (await piped.done()).errors == ""


async def test_an_interrupted_window_ends(house: House) -> None:
    window = await house.window()
    window.process.signals(signal.SIGINT)
    assert await window.process.ended(QUICK_S) == 130


@pytest.mark.parametrize("anew", [False, True])
async def test_a_terminal_that_goes_away_ends_its_window_in_good_order(house: House, anew: bool) -> None:
    window = await house.terminal("chat", anew=anew)
    window.screen.close()
    assert await window.process.ended(QUICK_S) == 0
