"""A process that is killed around a call to the model: the message is answered by the next one, once."""

import pytest

from tests.fakes.openai_server import HOLD, OpenAIServer, answers, delta, hangs, streams
from tests.processes.house import House, answered

DRAFTS = ("", "One", "One two")


@pytest.mark.parametrize("arguments", [(), ("--resume",)])
async def test_what_the_model_was_asked_when_it_died_is_asked_again(house: House, arguments: tuple[str, ...]) -> None:
    async with OpenAIServer(hangs(), answers("Here I am.")) as server:
        house.uses(server)
        first = await house.window()
        first.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        await first.process.is_killed()
        second = await house.window(*arguments)
        assert await house.settled() == [answered("hello", "Here I am.")]
        await second.has("Here I am.")
        assert await second.is_left() == 0
    assert [seen.messages[-1]["content"] for seen in server.ledger] == ["hello", "hello"]
    assert second.screen.text().count("hello") == (1 if arguments else 0)


@pytest.mark.parametrize("draft", DRAFTS)
async def test_a_draft_that_broke_off_at_any_word_is_no_part_of_the_answer(house: House, draft: str) -> None:
    words = [delta(content=word) for word in ("One", " two")]
    async with OpenAIServer(streams(*words[: DRAFTS.index(draft)], HOLD), answers("All of it.")) as server:
        house.uses(server)
        first = await house.window()
        first.says("count")
        await server.until(lambda: len(server.ledger) == 1)
        await first.shows(draft)
        await first.process.is_killed()
        second = await house.window()
        assert await house.settled() == [answered("count", "All of it.")]
        await second.has("All of it.")
        assert "One" not in second.screen.text()
        assert len(server.ledger) == 2


async def test_a_reply_that_was_read_is_not_asked_for_again(house: House) -> None:
    async with OpenAIServer(answers("First."), answers("Second.")) as server:
        house.uses(server)
        first = await house.piped("chat")
        await first.says("one\n")
        await first.output.says("First.\n")
        await first.process.is_killed()
        second = await house.window()
        second.says("two")
        assert await house.settled(2) == [answered("one", "First."), answered("two", "Second.")]
        await second.has("Second.")
    assert [message["content"] for message in server.ledger[1].messages[1:]] == ["one", "First.", "two"]


async def test_processes_of_their_own_do_the_same_as_forked_ones(house: House) -> None:
    async with OpenAIServer(hangs(), answers("Here I am.")) as server:
        house.uses(server)
        first = await house.terminal("chat", anew=True)
        first.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        await first.process.is_killed()
        second = await house.terminal("chat", "--resume", anew=True)
        assert await house.settled() == [answered("hello", "Here I am.")]
        await second.has("hello", "Here I am.")
    assert len(server.ledger) == 2


async def test_a_message_that_five_processes_died_of_is_given_up_and_the_next_one_is_answered(house: House) -> None:
    async with OpenAIServer(*[hangs()] * 5, answers("Fine.")) as server:
        house.uses(server)
        window = await house.window()
        window.says("deadly")
        for asked in range(1, 6):
            await server.until(lambda asked=asked: len(server.ledger) == asked)  # type: ignore[misc]
            await window.process.is_killed()
            window = await house.window()
        window.says("harmless")
        first, second = await house.settled(2)
        assert (first.state, len(first.replies)) == ("broken", 1)
        assert second == answered("harmless", "Fine.")
        await window.shows("I could not answer this: an internal error.")
        await window.has("Fine.")
