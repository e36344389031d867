"""Conversations of a chat: beginning, listing, going back to one, and taking the last message back."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from core.models.scripted import ScriptedModel, hangs, says, waits
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform, Person

DATE = "2027-01-15"  # of the fake clock, wherever this runs


def seen(model: ScriptedModel) -> Sequence[str]:
    """What stood in the newest prompt, the system's words left out."""
    return [message.content for message in model.prompts[-1].messages[1:]]


async def tells(anna: Person, words: str, answer: str) -> None:
    """One whole exchange."""
    await anna.says(words)
    await anna.hears(answer)


async def begun(model: ScriptedModel) -> None:
    """The first call to the model is on its way."""
    while model.asked == 0:
        await asyncio.sleep(0)


async def test_the_conversations_of_a_chat_are_listed_newest_first_with_the_current_one_marked(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    anna = platform.person("anna")
    async with opened(replace(house, clock=FakeClock())):
        await tells(anna, "What is left\nto do?", "one")
        await tells(anna, "/new", "New conversation.")
        await tells(anna, "a second " + "long " * 20, "two")
        await anna.says("/sessions")
        sent = await anna.hears("*")
    long = "a second long long long long long long long long…"
    assert sent.text == f"* 2  {DATE}  {long}\n  1  {DATE}  What is left to do?"


async def test_a_conversation_without_a_word_is_listed_only_while_it_is_the_current_one(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"))
    anna = platform.person("anna")
    async with opened(replace(house, clock=FakeClock())):
        await anna.says("/sessions")
        assert (await anna.hears("*")).text == "* 1  (nothing said yet)"
        await tells(anna, "hello", "one")
        await tells(anna, "/new", "New conversation.")
        await tells(anna, "/new", "New conversation.")
        await anna.says("/sessions")
        assert (await anna.hears("*")).text == f"* 3  (nothing said yet)\n  1  {DATE}  hello"


async def test_ten_conversations_are_listed_and_the_current_one_however_old_it_is(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(says(f"answer {n}") for n in range(1, 14)))
    anna = platform.person("anna")
    async with opened(house):
        for n in range(1, 14):
            await tells(anna, f"question {n}", f"answer {n}")
            await tells(anna, "/new", "New conversation.")
        await tells(anna, "/resume 2", "Conversation 2 goes on: question 2")
        await anna.says("/sessions")
        lines = (await anna.hears("question 13")).text.splitlines()
    assert [line.split()[0] for line in lines] == [*map(str, range(13, 3, -1)), "*"]
    assert lines[-1].startswith("* 2")


async def test_a_resumed_conversation_goes_on_with_its_own_history_and_so_does_the_other(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("a1"), says("b1"), says("a2"), says("b2"), says("a3"))
    anna = platform.person("anna")
    async with opened(house):
        await tells(anna, "in a", "a1")
        await tells(anna, "/new", "New conversation.")
        await tells(anna, "in b", "b1")
        await tells(anna, "/resume 1", "Conversation 1 goes on: in a")
        await tells(anna, "more a", "a2")
        assert seen(model) == ["in a", "a1", "more a"]
        await tells(anna, "/resume 2", "Conversation 2 goes on: in b")
        await tells(anna, "more b", "b2")
        assert seen(model) == ["in b", "b1", "more b"]
    async with opened(house):
        await tells(anna, "/resume 1", "Conversation 1 goes on: in a")
    async with opened(house):
        await tells(anna, "last a", "a3")
    assert seen(model) == ["in a", "a1", "more a", "a2", "last a"]


async def test_only_a_conversation_that_there_is_can_be_resumed(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"))
    anna = platform.person("anna")
    which = "Which one? /resume N; /sessions lists them."
    async with opened(house):
        await tells(anna, "hello", "one")
        for words, answer in {
            "/resume": which,
            "/resume the first": which,
            "/resume -1": which,
            "/resume 9999999": which,
            "/resume 0": "There is no conversation 0 here. /sessions lists them.",
            "/resume 2": "There is no conversation 2 here. /sessions lists them.",
            "/resume 1": "Conversation 1 is the current one.",
        }.items():
            await anna.says(words)
            assert (await anna.hears("")).text == answer


async def test_resume_stops_what_runs_and_drops_what_waits_as_new_does(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), hangs(), says("back"))
    anna = platform.person("anna")
    async with opened(house):
        await tells(anna, "first", "one")
        await tells(anna, "/new", "New conversation.")
        await anna.says("long work")
        await anna.says("waits")
        await tells(anna, "/resume 1", "Conversation 1 goes on: first")
        await tells(anna, "again", "back")
    assert seen(model) == ["first", "one", "again"]


async def test_conversations_of_other_chats_are_neither_listed_nor_counted(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    async with opened(replace(house, clock=FakeClock())):
        ben = platform.person("ben", chat="bens")
        await tells(ben, "/new", "New conversation.")
        await tells(ben, "hello", "one")
        anna = platform.person("anna")
        await tells(anna, "hi", "two")
        await tells(anna, "/resume 2", "There is no conversation 2 here.")
        await anna.says("/sessions")
        assert (await anna.hears("*")).text == f"* 1  {DATE}  hi"


async def test_undo_forgets_the_last_message_and_its_answer_one_a_time(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"), says("three"), says("four"))
    anna = platform.person("anna")
    async with opened(house):
        await tells(anna, "first", "one")
        await tells(anna, "second", "two")
        await tells(anna, "/undo", "Undone: second")
        await tells(anna, "third", "three")
        assert seen(model) == ["first", "one", "third"]
        await tells(anna, "/undo", "Undone: third")
        await tells(anna, "/undo", "Undone: first")
        await anna.says("/undo")
        assert (await anna.hears("")).text == "There is nothing to undo."
    async with opened(house):
        await tells(anna, "anew", "four")
    assert seen(model) == ["anew"]


async def test_undo_stops_the_turn_that_it_forgets(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("one"), hangs(), says("three"))
    anna = platform.person("anna")
    async with opened(house):
        await tells(anna, "first", "one")
        await anna.says("a mistake")
        while model.asked < 2:
            await asyncio.sleep(0)
        await tells(anna, "/undo", "Undone: a mistake")
        await tells(anna, "third", "three")
    assert seen(model) == ["first", "one", "third"]


async def test_undo_of_a_message_that_waits_lets_the_running_turn_go_on(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("one")), says("three"))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("long work")
        await begun(model)
        await anna.says("a mistake")
        await tells(anna, "/undo", "Undone: a mistake")
        gate.set()
        await anna.hears("one")
        await tells(anna, "third", "three")
    assert seen(model) == ["long work", "one", "third"]


async def test_undo_never_reaches_into_an_earlier_conversation(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("one"), says("two"))
    anna = platform.person("anna")
    async with opened(house):
        await tells(anna, "first", "one")
        await tells(anna, "/new", "New conversation.")
        await tells(anna, "/undo", "There is nothing to undo.")
        await tells(anna, "/resume 1", "Conversation 1 goes on: first")
        await tells(anna, "second", "two")
    assert seen(model) == ["first", "one", "second"]
