"""A process that is killed while it waits for a commit, or between two: the test holds the store, or reads nothing."""

from tests.fakes.openai_server import OpenAIServer, answers, held
from tests.processes.house import House, answered, until

LONG = "A long reply. " * 10_000


async def test_a_message_whose_commit_never_came_is_not_there_and_can_be_said_again(house: House) -> None:
    async with OpenAIServer(answers("Welcome."), answers("Now I hear you.")) as server:
        house.uses(server)
        first = await house.window()
        first.says("hi")
        await house.settled()
        with house.store_held():
            first.says("hello")
            await first.shows("> hello")
            await first.process.is_killed()
        second = await house.window()
        assert house.conversation() == [answered("hi", "Welcome.")]
        second.says("hello")
        assert await house.settled(2) == [answered("hi", "Welcome."), answered("hello", "Now I hear you.")]
        await second.has("Now I hear you.")


async def test_an_answer_that_was_never_committed_is_asked_for_again(house: House) -> None:
    async with OpenAIServer(held("Lost."), answers("Found.")) as server:
        house.uses(server)
        first = await house.window()
        first.says("hello")
        await server.until(lambda: len(server.ledger) == 1)
        with house.store_held():
            server.release()
            await first.shows("Lost.")
            await first.process.is_killed()
        second = await house.window()
        assert await house.settled() == [answered("hello", "Found.")]
        await second.has("Found.")
        assert "Lost." not in second.screen.text()


async def test_a_reply_that_nobody_had_read_whole_is_printed_whole_by_the_next_process(house: House) -> None:
    async with OpenAIServer(answers(LONG), answers("Short.")) as server:
        house.uses(server)
        first = await house.piped("chat", "-m", "one")
        first.output.pauses()
        await until(house.conversation, lambda told: [one.replies for one in told] == [((LONG.strip(), "sending"),)])
        await first.process.is_killed()
        second = await house.does("chat", said="two\n")
    assert second.output == f"{LONG.strip()}\nShort.\n"
    assert house.conversation() == [answered("one", LONG.strip()), answered("two", "Short.")]


async def test_a_reply_that_was_printed_but_not_noted_is_sent_once_in_the_store(house: House) -> None:
    async with OpenAIServer(answers(LONG), answers("Short.")) as server:
        house.uses(server)
        first = await house.piped("chat", "-m", "one")
        first.output.pauses()
        await until(house.conversation, lambda told: [one.replies for one in told] == [((LONG.strip(), "sending"),)])
        with house.store_held():
            first.output.goes_on()
            await first.output.says(LONG.strip() + "\n")
            await first.process.is_killed()
        assert [one.replies for one in house.conversation()] == [((LONG.strip(), "sending"),)]
        second = await house.does("chat", said="two\n")
    assert second.output == f"{LONG.strip()}\nShort.\n"
    assert house.conversation() == [answered("one", LONG.strip()), answered("two", "Short.")]
    assert len(server.ledger) == 2
