"""What is logged to the terminal of a window does not tear its drawing apart."""

from tests.fakes.openai_server import HANG, OpenAIServer, answers, delta, fails, streams
from tests.processes.house import House, answered


async def test_a_warning_leaves_nothing_of_the_prompt_behind(house: House) -> None:
    async with OpenAIServer(fails(500, "boom"), answers("Fine.")) as server:
        house.uses(server)
        window = await house.window()
        window.says("hello")
        assert await house.settled() == [answered("hello", "Fine.")]
        await window.has("Fine.")
        await window.screen.until(lambda text: text.endswith("\n>"), "showed the prompt")
    lines = [line.strip() for line in window.screen.drawn.lines()]
    assert "thinking" not in lines
    assert [line for line in lines if line.startswith(">")] == ["> hello", ">"]


async def test_a_draft_goes_away_when_the_answer_stands_there(house: House) -> None:
    words = [delta(content="words ")] * 50
    async with OpenAIServer(streams(*words, HANG), answers("Whole.")) as server:
        house.uses(server, "whole_s = 0.5\n")
        window = await house.window()
        window.says("hello")
        assert await house.settled() == [answered("hello", "Whole.")]
        await window.has("Whole.")
        await window.screen.until(lambda text: text.endswith("\n>"), "showed the prompt")
    assert "words" not in window.screen.text()
