"""People say things and are answered."""

import asyncio
from dataclasses import replace

from core.domain.errors import ContextTooLong, ModelRefused, ModelUnreachable
from core.models.scripted import ScriptedModel, fails, hangs, says
from tests.fakes.chance import FakeChance
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform


async def test_a_message_is_answered_in_its_chat(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("Good morning, Anna."))
    async with opened(house):
        await platform.person("anna").says("good morning")
        await platform.hears("Good morning, Anna.")


async def test_the_model_sees_what_was_said_before(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("Nice name."), says("Your name is Anna."))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("my name is Anna")
        await anna.hears("Nice name.")
        await anna.says("what is my name?")
        await anna.hears("Your name is Anna.")
    assert [message.content for message in model.prompts[-1].messages[1:]] == [
        "my name is Anna",
        "Nice name.",
        "what is my name?",
    ]


async def test_history_is_the_same_after_a_restart(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("One."), says("Two."))
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("first")
        await anna.hears("One.")
    async with opened(house):
        await anna.says("second")
        await anna.hears("Two.")
    assert [message.content for message in model.prompts[-1].messages[1:]] == ["first", "One.", "second"]


async def test_what_arrives_during_a_turn_waits_and_is_answered_in_order(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(says(f"answer {n}") for n in range(5)))
    async with opened(house):
        for n in range(5):
            platform.says("anna", f"question {n}")
        for n in range(5):
            await platform.hears(f"answer {n}")
    asked = [prompt.messages[-1].content for prompt in model.prompts]
    assert asked == [f"question {n}" for n in range(5)]


async def test_chats_do_not_see_each_other(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says("to one"), says("to two"))
    async with opened(house):
        await platform.person("anna", chat="one").says("secret of one")
        await platform.hears("to one", chat="one")
        await platform.person("anna", chat="two").says("hello")
        await platform.hears("to two", chat="two")
    assert all("secret" not in message.content for message in model.prompts[-1].messages)


async def test_the_same_event_delivered_twice_is_one_turn(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("once"), says("next"))
    async with opened(house):
        event = await platform.person("anna").says("hello")
        platform.events.add(event)
        await platform.acknowledges(event)
        await platform.hears("once")
        await platform.person("anna").says("and now?")
        await platform.hears("next")
    assert model.asked == 2


async def test_a_slow_chat_does_not_hold_up_the_others(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), *(says(f"hi {n}") for n in range(10)))
    async with opened(house):
        await platform.person("anna", chat="slow").says("slow")
        while model.asked == 0:
            await asyncio.sleep(0)
        for n in range(10):
            await platform.person("ben", chat=f"c{n}").says(f"hi {n}")
            await platform.hears("hi", chat=f"c{n}")
    assert platform.ledger.lines("slow") == []


async def test_no_more_turns_run_at_once_than_allowed(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), hangs(), says("third"))
    async with opened(replace(house, turns=2)):
        for n in range(3):
            await platform.person("anna", chat=f"c{n}").says("go")
        while model.asked < 2:
            await asyncio.sleep(0)
        assert model.asked == 2
        await platform.person("anna", chat="c0").says("/stop")
        await platform.hears("Stopped.", chat="c0")
        await platform.hears("third", chat="c2")


async def test_a_stranger_is_refused_in_words_once_a_day_and_never_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("for anna"))
    clock = FakeClock()
    mallory, anna = platform.person("mallory", chat="dm"), platform.person("anna")
    async with opened(replace(house, clock=clock)):
        await mallory.says("let me in")
        assert (await platform.reads(chat="dm")).text == "I may not answer you here."
        await mallory.says("please")
        await platform.person("mallory").says("here then?")
        await anna.says("hello")
        await anna.hears("for anna")
        await clock.advance(24 * 3600)
        await mallory.says("and today?")
        assert (await platform.reads(chat="dm")).text == "I may not answer you here."
    assert len(platform.ledger.lines("dm")) == 2
    assert model.asked == 1


async def test_words_that_a_stranger_says_to_others_are_passed_over(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("for anna"))
    async with opened(house):
        event = platform.says("mallory", "lunch?", addressed=False, shared=True)
        await platform.acknowledges(event)
        await platform.person("anna").says("hello")
        await platform.hears("for anna")
    assert model.asked == 1


async def test_a_full_queue_is_said_and_nothing_is_lost_silently(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(hangs(), says("a"), says("b"))
    async with opened(replace(house, queued_chat=2)):
        anna = platform.person("anna")
        await anna.says("running")
        await anna.says("waits 1")
        await anna.says("waits 2")
        await anna.says("one too many")
        await anna.hears("2 messages already wait here. I did not take this one; please send it again later.")


async def test_an_unreachable_model_is_said_after_three_tries(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(*(fails(ModelUnreachable("down")) for _ in range(3)), says("up again"))
    async with opened(replace(house, clock=clock, chance=FakeChance())):
        await platform.person("anna").says("hello")
        sent = await clock.run_until(platform.hears("I could not answer this: the model is not reachable."))
        assert sent.text.endswith("(1)")
        await platform.person("anna").says("and now?")
        await platform.hears("up again")
    assert [message.content for message in model.prompts[-1].messages[1:]] == [
        "hello",
        "(No answer was given to this.)",
        "and now?",
    ]


async def test_a_model_that_refuses_is_said_at_once(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(fails(ModelRefused("bad key")))
    async with opened(house):
        await platform.person("anna").says("hello")
        await platform.hears("I could not answer this: the model refused.")


async def test_the_next_model_of_the_list_answers_when_the_first_is_down(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(fails(ModelUnreachable("down")))
    second = ScriptedModel(says("from the second"), name="second")
    async with opened(replace(house, models=[model, second])):
        await platform.person("anna").says("hello")
        await platform.hears("from the second")


async def test_a_prompt_that_is_too_long_is_cut_twice_and_then_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    overflow = ContextTooLong("context window 8192 exceeded: 7000 prompt + 4000 output")
    model.then(says("noted"), fails(overflow), fails(overflow), says("Short version: done."))
    async with opened(house):
        anna = platform.person("anna")
        await anna.says("old tool output. " * 4000)
        await anna.hears("noted")
        await anna.says("summarise")
        await anna.hears("Short version: done.")
    sizes = [sum(len(message.content) for message in prompt.messages) for prompt in list(model.prompts)[-3:]]
    assert sizes[0] >= sizes[1] >= sizes[2]
    assert model.prompts[-1].messages[-1].content == "summarise"


async def test_what_does_not_fit_at_all_is_said(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(*(fails(ContextTooLong("too long")) for _ in range(3)))
    async with opened(house):
        await platform.person("anna").says("x" * 1000)
        await platform.hears("this is longer than the model can read")


async def test_an_empty_answer_is_asked_for_once_more(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(""), says("sorry, here it is"), says(""), says(""))
    async with opened(house):
        anna = platform.person("anna")
        await anna.says("hello")
        await anna.hears("sorry, here it is")
        await anna.says("again")
        await anna.hears("I could not answer this: the model gave no answer.")
