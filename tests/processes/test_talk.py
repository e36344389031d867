"""A conversation with a model over the wire, in a window and through pipes."""

from tests.fakes.openai_server import HOLD, USAGE, Act, OpenAIServer, answers, delta, streams
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
