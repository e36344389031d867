"""Models that give no answer: one visible outcome a message, no half of an answer, and no secret anywhere."""

import asyncio
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fakes.openai_server import (
    CUT,
    HANG,
    Act,
    OpenAIServer,
    answers,
    cuts,
    delta,
    fails,
    replies,
    streams,
)
from tests.processes.house import House, answered, model_table
from tests.processes.started import Nursery

JSON = {"Content-Type": "application/json"}
UNREACHABLE = "the model is not reachable"
REFUSED = "the model refused"
NO_ANSWER = "the model gave no answer"

# What the server does with every request, the cause that the person reads, and how often it is asked.
BROKEN: dict[str, tuple[Act, str, int]] = {
    "a web page": (replies(200, "<html>welcome</html>", headers={"Content-Type": "text/html"}), NO_ANSWER, 3),
    "half of a JSON": (replies(200, '{"choices": [', headers=JSON), NO_ANSWER, 3),
    "no choice": (replies(200, '{"choices": []}', headers=JSON), NO_ANSWER, 3),
    "a wrong key": (fails(401, "Incorrect API key provided: sk-test-NOTREAL"), REFUSED, 1),
    "no such model": (fails(404, "no such model"), REFUSED, 1),
    "an error": (fails(500, "boom"), UNREACHABLE, 3),
    "a closed connection": (cuts(), UNREACHABLE, 3),
}


async def test_a_model_that_gives_no_answer_is_said_to_be_so(nursery: Nursery, tmp_path: Path) -> None:
    async def case(name: str, act: Act, cause: str, asked: int) -> None:
        house = House(tmp_path / name, nursery)
        async with OpenAIServer(act, repeat_last=True) as server:
            house.uses(server)
            done = await house.does("chat", said="hello\n")
        assert (done.code, done.errors) == (1, "")
        assert done.output == f"I could not answer this: {cause}. /retry tries again. (1)\n"
        assert len(server.ledger) == asked
        assert "NOTREAL" not in house.log

    async def closed_port() -> None:
        house = House(tmp_path / "closed", nursery)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            house.settings(model_table(f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
            done = await house.does("chat", said="hello\n")
        assert (done.code, done.errors) == (1, "")
        assert done.output == f"I could not answer this: {UNREACHABLE}. /retry tries again. (1)\n"

    # Beside each other: most of them are asked again, after seconds.
    await asyncio.gather(closed_port(), *(case(name, *broken) for name, broken in BROKEN.items()))


@pytest.mark.parametrize("end", [HANG, CUT], ids=["never ends", "breaks off"])
async def test_a_stream_that_came_to_no_end_is_asked_for_again(house: House, end: Mapping[str, object]) -> None:
    async with OpenAIServer(streams(*[delta(content="words ")] * 5, end), answers("Whole.")) as server:
        house.uses(server, "whole_s = 0.5\n")
        window = await house.window()
        window.says("hello")
        assert await house.settled() == [answered("hello", "Whole.")]
        await window.shows("Whole.")
    assert len(server.ledger) == 2
