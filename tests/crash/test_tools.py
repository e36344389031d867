"""A process that is killed while a tool works: the tool runs once, or it is said that nobody knows."""

from contextlib import ExitStack

from tests.fakes.openai_server import OpenAIServer, answers
from tests.processes.acts import calls, doubles
from tests.processes.house import House, answered, until

INTERRUPTED = "I was interrupted while edit_file ran and cannot tell whether it happened. Run it again?"


async def test_an_edit_that_had_begun_is_not_repeated_before_the_person_has_said_so(house: House) -> None:
    async with OpenAIServer(doubles("a.txt"), answers("I will look.")) as server:
        house.uses(server)
        first = await house.window()
        (house.workspace / "a.txt").write_text("a")
        with house.workspace_held():
            first.says("double it")
            await until(house.steps, lambda kinds: "tool_started" in kinds)
            await first.process.is_killed()
        second = await house.window()
        await second.has(INTERRUPTED)
        second.says("Leave it")
        whole = ["model_answered", "tool_started", "asked", "tool_finished", "model_answered"]
        await until(house.steps, lambda kinds: kinds == whole)
        await second.has("I will look.")
    assert (house.workspace / "a.txt").read_text() == "a"
    assert "unknown" in str(server.ledger[-1].messages[-1]["content"])


async def test_an_edit_whose_result_was_not_noted_is_repeated_when_the_person_says_so(house: House) -> None:
    async with OpenAIServer(doubles("a.txt"), answers("I will look.")) as server:
        house.uses(server)
        first = await house.window()
        file = house.workspace / "a.txt"
        file.write_text("a")
        with ExitStack() as store:
            with house.workspace_held():
                first.says("double it")
                await until(house.steps, lambda kinds: "tool_started" in kinds)
                store.enter_context(house.store_held())
            await until(file.read_text, lambda text: text == "aa")
            await first.process.is_killed()
        second = await house.window()
        await second.has(INTERRUPTED)
        second.says("1")
        await second.has("I will look.")
    # The person wanted it once more.
    assert file.read_text() == "aaaa"


async def test_a_write_that_may_be_repeated_is_repeated(house: House) -> None:
    async with OpenAIServer(calls("write_file", path="b.txt", content="b"), answers("Written.")) as server:
        house.uses(server)
        first = await house.window()
        with house.workspace_held():
            first.says("write it")
            await until(house.steps, lambda kinds: kinds[:1] == ["model_answered"])
            await first.process.is_killed()
        second = await house.window()
        assert await house.settled() == [answered("write it", "Written.")]
        await second.has("Written.")
    assert (house.workspace / "b.txt").read_text() == "b"
    assert sorted(path.name for path in house.workspace.iterdir() if path.is_file()) == ["b.txt"]
    assert len(server.ledger) == 2
