"""Replies of one session come in order, whatever waits."""

from tests.fakes.openai_server import OpenAIServer, echoes
from tests.processes.house import House, Told


async def test_a_reply_that_could_not_be_printed_comes_before_later_ones(house: House) -> None:
    async with OpenAIServer(echoes("re: "), repeat_last=True) as server:
        house.uses(server)
        for number in range(5):  # the pause before another try is drawn by chance: five tries
            piped = await house.piped("chat", "--session", f"s{number}")
            piped.output.close()
            await piped.says("one\n")
            assert (await piped.done()).code != 0
            assert house.conversation(f"s{number}") == [Told(said="one", state="done", replies=(("re: one", "new"),))]
            done = await house.does("chat", "--session", f"s{number}", said="two\n")
            assert (done.code, done.output) == (0, "re: one\nre: two\n")
