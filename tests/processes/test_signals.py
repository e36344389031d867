"""Leaving, stopping, and signals, with nothing to do and in the middle of a turn."""

import signal

import pytest

from tests.fakes.openai_server import OpenAIServer, answers, echoes, hangs
from tests.processes.acts import doubles
from tests.processes.house import House, answered, until
from tests.processes.started import QUICK_S
from tests.processes.window import CTRL_C, Window


async def asked(house: House, server: OpenAIServer, times: int = 1) -> Window:
    """A window whose message the model is thinking about."""
    window = await house.window()
    window.says("hello")
    await server.until(lambda: len(server.ledger) == times)
    await window.shows("thinking")
    return window


@pytest.mark.parametrize("verb", ["chat", "run"])
async def test_a_window_with_nothing_to_do_ends_at_once_when_it_is_told_to(house: House, verb: str) -> None:
    window = await house.terminal(verb)
    window.process.signals(signal.SIGTERM)
    assert await window.process.ended(QUICK_S) == 0
    assert "Traceback" not in window.screen.text()


@pytest.mark.parametrize("verb", ["chat", "run"])
async def test_an_interrupted_window_ends(house: House, verb: str) -> None:
    window = await house.terminal(verb)
    window.process.signals(signal.SIGINT)
    assert await window.process.ended(QUICK_S) == 130
    assert "Traceback" not in window.screen.text()


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


@pytest.mark.parametrize("anew", [False, True])
async def test_a_terminal_that_goes_away_ends_its_window_in_good_order(house: House, anew: bool) -> None:
    window = await house.terminal("chat", anew=anew)
    window.screen.close()
    assert await window.process.ended(QUICK_S) == 0


async def test_a_pipe_that_waits_for_input_ends_at_once_when_it_is_told_to(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        piped = await house.piped("chat")
        await piped.says("one\n")
        await piped.output.says("re: one\n")
        piped.process.signals(signal.SIGTERM)
        assert await piped.process.ended(QUICK_S) == 0


@pytest.mark.parametrize("way", ["SIGTERM", "Ctrl-D", "/exit", "closed terminal"])
async def test_a_turn_that_was_left_goes_on_with_the_next_start(house: House, way: str) -> None:
    async with OpenAIServer(hangs(), answers("Done now.")) as server:
        house.uses(server)
        window = await asked(house, server)
        match way:
            case "SIGTERM":
                window.process.signals(signal.SIGTERM)
            case "closed terminal":
                window.screen.close()
            case "Ctrl-D":
                assert await window.is_left() == 0
            case _:
                window.says("/exit")
        assert await window.process.ended(QUICK_S) == 0
        assert [one.state for one in house.conversation()] == ["queued"]
        back = await house.window()
        assert await house.settled() == [answered("hello", "Done now.")]
        await back.has("Done now.")


async def test_a_tool_that_cannot_be_interrupted_holds_up_the_end_for_a_moment_only(house: House) -> None:
    async with OpenAIServer(doubles("a.txt"), answers("I will look.")) as server:
        house.uses(server)
        window = await house.window()
        (house.workspace / "a.txt").write_text("a")
        with house.workspace_held():
            window.says("double it")
            await until(house.steps, lambda kinds: "tool_started" in kinds)
            window.process.signals(signal.SIGTERM)
            await house.until(lambda told: [one.state for one in told] == ["queued"])
        assert await window.process.ended() == 0
        second = await house.window()
        await second.has("I was interrupted while edit_file ran and cannot tell whether it happened. Run it again?")
        second.says("Leave it")
        await second.has("I will look.")
    assert (house.workspace / "a.txt").read_text() in ("a", "aa")
    assert "unknown" in str(server.ledger[-1].messages[-1]["content"])


async def test_a_tool_that_is_nearly_done_may_finish_and_its_result_is_kept(house: House) -> None:
    async with OpenAIServer(doubles("a.txt"), answers("Done.")) as server:
        house.uses(server)
        window = await house.window()
        (house.workspace / "a.txt").write_text("a")
        with house.workspace_held():
            window.says("double it")
            await until(house.steps, lambda kinds: "tool_started" in kinds)
            window.process.signals(signal.SIGTERM)
        assert await window.process.ended(QUICK_S) == 0
        await house.window()
        assert await house.settled() == [answered("double it", "Done.")]
    assert (house.workspace / "a.txt").read_text() == "aa"
    assert str(server.ledger[-1].messages[-1]["content"]).startswith("Edited a.txt")


async def test_ctrl_c_stops_the_turn_and_the_next_message_is_answered(house: House) -> None:
    async with OpenAIServer(hangs(), answers("Fine.")) as server:
        house.uses(server)
        window = await asked(house, server)
        window.presses(CTRL_C)
        await window.has("Stopped.")
        window.says("next")
        stopped, after = await house.settled(2)
        assert (stopped.state, stopped.replies) == ("stopped", ())
        assert after == answered("next", "Fine.")
        assert await window.is_left() == 0
    assert [seen.outcome for seen in server.ledger] == ["aborted", "answered"]


async def test_ctrl_c_with_nothing_to_stop_clears_the_line_and_then_says_how_to_leave(house: House) -> None:
    window = await house.window()
    window.presses("half a wo")
    await window.shows("> half a wo")
    window.presses(CTRL_C)
    await window.hides("half a wo")
    window.presses(CTRL_C, CTRL_C)
    await window.shows("Ctrl-D or /exit leaves.")
    assert await window.is_left() == 0
