"""A conversation with a model over the wire, in a window and through pipes."""

import pytest

from tests.fakes.openai_server import HANG, HOLD, USAGE, Act, OpenAIServer, answers, delta, fails, streams
from tests.processes.acts import calls
from tests.processes.house import House, answered


def writes_and_reads() -> tuple[Act, ...]:
    return (
        calls("write_file", path="notes/a.txt", content="seven"),
        calls("read_file", path="notes/a.txt"),
        answers("It says seven."),
    )


async def test_an_answer_is_drafted_while_it_comes_and_then_stands_there_once(house: House) -> None:
    begin, end = delta(role="assistant", content="Half of"), delta(content=" it.")
    async with OpenAIServer(streams(begin, HOLD, end, delta("stop"), {"choices": [], "usage": USAGE})) as server:
        house.uses(server)
        window = await house.window()
        window.says("hello")
        await window.shows("Half of")
        assert "Half of it." not in window.screen.text()
        assert house.conversation()[0].replies == ()
        server.release()
        assert await house.settled() == [answered("hello", "Half of it.")]
        await window.has("> hello", "Half of it.")
        assert await window.is_left() == 0
    assert window.screen.text().count("Half of") == 1


async def test_the_model_writes_a_file_of_the_workspace_and_reads_it_back(house: House) -> None:
    async with OpenAIServer(*writes_and_reads()) as server:
        house.uses(server)
        window = await house.window()
        window.says("note seven")
        assert await house.settled() == [answered("note seven", "It says seven.")]
        await window.has("It says seven.")
        assert await window.is_left() == 0
    assert (house.workspace / "notes" / "a.txt").read_text() == "seven"
    assert "seven" in str(server.ledger[2].messages[-1]["content"])
    assert "write_file" not in window.screen.text()


async def test_only_the_reply_goes_down_a_pipe(house: House) -> None:
    async with OpenAIServer(*writes_and_reads()) as server:
        house.uses(server)
        done = await house.does("chat", said="note seven\n")
    assert (done.code, done.output, done.errors) == (0, "It says seven.\n", "")
    assert not server.ledger[0].body.get("stream")


@pytest.mark.parametrize("verb", ["chat", "run"])
async def test_a_warning_is_logged_and_leaves_the_window_alone(house: House, verb: str) -> None:
    async with OpenAIServer(fails(500, "boom"), answers("Fine.")) as server:
        house.uses(server)
        window = await house.terminal(verb)
        window.says("hello")
        assert await house.settled() == [answered("hello", "Fine.")]
        await window.has("Fine.")
        await window.screen.until(lambda text: text.endswith("\n>"), "showed the prompt")
    lines = [line.strip() for line in window.screen.drawn.lines()]
    assert [line for line in lines if line.startswith((">", "thinking", "warning"))] == ["> hello", ">"]
    assert '"level": "warning"' in house.log


async def test_a_draft_that_came_to_no_end_goes_away_when_the_answer_stands_there(house: House) -> None:
    words = [delta(content="words ")] * 50
    async with OpenAIServer(streams(*words, HANG), answers("Whole.")) as server:
        house.uses(server, "whole_s = 0.5\n")
        window = await house.window()
        window.says("hello")
        assert await house.settled() == [answered("hello", "Whole.")]
        await window.has("Whole.")
        await window.screen.until(lambda text: text.endswith("\n>"), "showed the prompt")
    assert "words" not in window.screen.text()
