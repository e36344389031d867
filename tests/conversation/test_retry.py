"""The same message once more: after an error, after an answer that does not please, or instead of what runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from core.domain.errors import ModelRefused
from core.domain.prompt import Prompt
from core.domain.step import ModelAnswered
from core.models.scripted import ScriptedModel, calls, fails, hangs, says
from core.store import listing
from core.tools.ask_user import ask_user
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import waits_for


def seen(model: ScriptedModel) -> Sequence[str]:
    """What stood in the newest prompt, the system's words left out."""
    return [message.content for message in model.prompts[-1].messages[1:]]


async def test_after_an_error_the_same_message_is_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("hello"), fails(ModelRefused("busy")), says("Here it is."), says("Sure."))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("hi")
        await anna.hears("hello")
        await anna.says("a question")
        sent = await anna.hears("")
        assert sent.text == "I could not answer this: the model refused. /retry tries again. (2)"
        await anna.says("/retry")
        assert (await anna.hears("")).text == "Here it is."
        assert seen(model) == ["hi", "hello", "a question"]
        await anna.says("more")
        await anna.hears("Sure.")
    assert seen(model) == ["hi", "hello", "a question", "Here it is.", "more"]


async def test_an_answer_that_does_not_please_is_hidden_and_given_anew_as_often_as_wanted(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"), says("three"), says("four"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("a number")
        await anna.hears("one")
        for answer in ("two", "three"):
            await anna.says("/retry")
            await anna.hears(answer)
            assert seen(model) == ["a number"]
        await anna.says("next")
        await anna.hears("four")
    assert seen(model) == ["a number", "three", "next"]


async def test_what_was_tried_again_can_be_undone_as_one_message(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"), says("three"), says("four"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("first")
        await anna.hears("one")
        await anna.says("second")
        await anna.hears("two")
        await anna.says("/retry")
        await anna.hears("three")
        await anna.says("/undo")
        await anna.hears("Undone: second")
        await anna.says("third")
        await anna.hears("four")
    assert seen(model) == ["first", "one", "third"]


async def test_retry_uses_the_model_that_is_chosen_now(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(fails(ModelRefused("busy")))
    second = ScriptedModel(fails(ModelRefused("busy too")), says("from the second"), name="second")
    anna = platform.person("anna")
    async with opened(replace(house, models=[model, second])):
        await anna.says("hello")
        await anna.hears("I could not answer this")
        await anna.says("/model second")
        await anna.hears("This chat now uses second.")
        await anna.says("/retry")
        await anna.hears("from the second")
    assert (model.asked, second.asked) == (1, 2)


async def test_retry_of_a_running_turn_stops_it_and_waits_until_its_tools_have_let_go(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    slow = waits_for("search", never)
    let_go: list[bool] = []

    def again(prompt: Prompt) -> ModelAnswered:
        let_go.append(never.cancelled())
        return says("done")

    model.then(calls("search"), again)
    anna = platform.person("anna")
    async with opened(replace(house, tools={"search": slow})):
        await anna.says("go")
        await slow.started.wait()
        await anna.says("/retry")
        assert (await anna.hears("")).text == "done"
    assert let_go == [True]
    assert seen(model) == ["go"]


async def test_retry_drops_what_waits_and_says_so(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(hangs(), says("this time"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("long work")
        await anna.says("waits 1")
        await anna.says("waits 2")
        await anna.says("/retry")
        await anna.hears("Stopped. 2 waiting messages dropped.")
        await anna.hears("this time")
    assert seen(model)[-1] == "long work"


async def test_retry_takes_an_open_question_back_and_asks_it_again(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("ask_user", question="Which hall?"), calls("ask_user", question="Which room?"), says("Room 4."))
    anna = platform.person("anna")
    async with opened(replace(house, tools={"ask_user": ask_user})):
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        await anna.says("/retry")
        await anna.hears("Which hall?: cancelled")
        await anna.hears("Which room?")
        await anna.says("4")
        await anna.hears("Which room?: 4 (Anna)")
        await anna.hears("Room 4.")


async def test_a_turn_that_was_tried_again_goes_on_after_a_restart(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(fails(ModelRefused("busy")), hangs(), says("after the restart"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("hello")
        await anna.hears("I could not answer this")
        await anna.says("/retry")
        while model.asked < 2:
            await asyncio.sleep(0)
    async with opened(house):
        await anna.hears("after the restart")
    assert seen(model) == ["hello"]


async def test_there_may_be_nothing_to_try_again(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("one"))
    anna = platform.person("anna")
    nothing = "There is nothing to try again."
    async with opened(house):
        await anna.says("/retry")
        assert (await anna.hears("")).text == nothing
        await anna.says("hello")
        await anna.hears("one")
        await anna.says("/undo")
        await anna.hears("Undone: hello")
        await anna.says("/retry")
        assert (await anna.hears("")).text == nothing
        await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("/retry")
        assert (await anna.hears("")).text == nothing
    assert model.asked == 1


async def test_every_attempt_can_be_traced_and_only_the_last_one_counts_as_trouble(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(fails(ModelRefused("busy")), fails(ModelRefused("busy")), says("at last"))
    anna = platform.person("anna")
    async with opened(house) as gateway:
        await anna.says("hello")
        await anna.hears("(1)")
        await anna.says("/retry")
        await anna.hears("(2)")
        store = gateway.world.store
        assert [line.id for line in (await store.read(listing.overview)).broken] == [2]
        await anna.says("/retry")
        await anna.hears("at last")
        trace = await store.read(listing.trace, "1")
        assert (await store.read(listing.overview)).broken == ()
    assert trace is not None
    assert [(line.id, line.content, line.state) for line in trace.said] == [
        (1, "hello", "done"),
        (2, "/retry", "done"),
        (3, "/retry", "done"),
    ]
    assert [one.text[-8:] for one in trace.deliveries] == ["ain. (1)", "ain. (2)", "at last"]
