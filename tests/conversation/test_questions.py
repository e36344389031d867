"""The model asks a person, and the turn goes on with the answer."""

import asyncio
from dataclasses import replace

import pytest

from core.decide.view import Answerers
from core.models.scripted import ScriptedModel, calls, says, together
from core.tools.ask_user import ask_user
from tests.fakes.chance import FakeChance
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform, Fault, Profile
from tests.fakes.tools import answers

WHICH_HALL = calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"])


@pytest.fixture
def asking(house: House) -> House:
    return replace(house, tools={"ask_user": ask_user})


async def test_the_next_message_answers_the_open_question(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(calls("ask_user", question="For how many?"), says("Booked for 4."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("book a table")
        await anna.hears("For how many?")
        await anna.says("four")
        await anna.hears("For how many?: four (Anna)")
        await anna.hears("Booked for 4.")
    assert model.prompts[-1].messages[-1].content == "User reply: four"


async def test_a_question_is_answered_after_a_restart(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("Hall 4 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        sent = await anna.hears("Which hall?")
        assert sent.choices == ("Hall 3", "Hall 4")
    async with opened(asking):
        await anna.says("2")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
    assert model.asked == 2


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Hall 3", "User reply: Hall 3"),
        ("hall 4", "User reply: Hall 4"),
        ("1", "User reply: Hall 3"),
        ("3", "User reply: (not among the choices) 3"),
        ("hall 4 please, but tomorrow", "User reply: (not among the choices) hall 4 please, but tomorrow"),
    ],
)
async def test_a_choice_is_taken_by_its_words_its_number_or_as_free_text(
    asking: House, platform: FakePlatform, model: ScriptedModel, typed: str, read: str
) -> None:
    model.then(WHICH_HALL, says("OK"))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        await anna.says(typed)
        await anna.hears("Which hall?: ")
        await anna.hears("OK")
    assert model.prompts[-1].messages[-1].content == read


async def test_somebody_else_does_not_answer_and_is_told_once_whose_answer_is_waited_for(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("to hall 3"), says("hello Ben"), says("and again"))
    anna, ben = platform.person("anna"), platform.person("ben")
    async with opened(asking):
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        await ben.says("Hall 4")
        await ben.hears("I am waiting for Anna's answer first; your message is number 1.")
        await ben.says("hurry")
        await anna.says("Hall 3")
        await anna.hears("Which hall?: Hall 3 (Anna)")
        await anna.hears("to hall 3")
        await ben.hears("hello Ben")
        await ben.hears("and again")


async def test_the_same_person_in_another_chat_or_thread_does_not_answer(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("elsewhere"), says("in a thread"), says("to hall 3"))
    async with opened(asking):
        await platform.person("anna").says("deliver the pump")
        await platform.hears("Which hall?")
        await platform.person("anna", chat="other").says("Hall 4")
        await platform.hears("elsewhere", chat="other")
        await platform.person("anna", thread="t1").says("Hall 4")
        await platform.hears("in a thread")
        await platform.person("anna").says("Hall 3")
        await platform.hears("Which hall?: Hall 3 (Anna)")
        await platform.hears("to hall 3")


async def test_commands_work_during_a_wait_and_stop_ends_it(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("hi"))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        await anna.says("/status")
        await anna.hears("Running: idle")
        await anna.says("/stop")
        await anna.hears("Which hall?: cancelled")
        await anna.hears("Stopped.")
        await anna.says("hi")
        await anna.hears("hi")
    assert [message.role for message in model.prompts[-1].messages] == [
        *("system", "user", "assistant", "tool", "assistant", "user")
    ]


async def test_no_answer_in_time_goes_on_with_the_default_after_one_reminder(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(calls("ask_user", question="Now or later?", deadline=60, default="later"), says("later then"))
    anna = platform.person("anna")
    async with opened(replace(asking, clock=clock, chance=FakeChance())):
        await anna.says("go")
        sent = await anna.hears("Now or later?")
        assert "Answer until " in sent.text
        assert sent.text.endswith("Otherwise: later.")
        await clock.advance(31)
        await anna.hears("Still waiting for your answer: Now or later?")
        await clock.advance(30)
        await anna.hears("Now or later?: no answer in time, went on with later")
        await anna.hears("later then")
    assert model.prompts[-1].messages[-1].content == "no answer in time; the default applies: later"


async def test_without_a_default_the_model_hears_that_no_answer_came(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(calls("ask_user", question="Yes?", deadline=10), says("moving on"))
    async with opened(replace(asking, clock=clock, chance=FakeChance())):
        await platform.person("anna").says("go")
        await platform.hears("Yes?")
        await clock.advance(11)
        await platform.hears("no answer in time")
        while True:
            sent = await platform.reads()
            if sent.text == "moving on":
                break
    assert model.prompts[-1].messages[-1].content == "no answer in time"


async def test_two_questions_of_one_round_are_asked_one_after_the_other(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(together(calls("ask_user", question="One?"), calls("ask_user", question="Two?")), says("both"))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("go")
        await anna.hears("One?")
        await anna.says("first")
        await anna.hears("One?: first (Anna)")
        await anna.hears("Two?")
        await anna.says("second")
        await anna.hears("Two?: second (Anna)")
        await anna.hears("both")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == [
        "User reply: first",
        "User reply: second",
    ]


async def test_an_answer_that_comes_while_another_call_runs_is_not_lost(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    slow = answers("slow", "slow done")
    plain = slow.run

    async def wait_first(arguments: str, context: object) -> object:
        await gate.wait()
        return await plain(arguments, context)  # type: ignore[arg-type]

    slow.run = wait_first  # type: ignore[method-assign,assignment]
    model.then(together(calls("ask_user", question="Well?"), calls("slow")), says("done"))
    anna = platform.person("anna")
    async with opened(replace(asking, tools={"ask_user": ask_user, "slow": slow})):
        await anna.says("go")
        await anna.hears("Well?")
        await anna.says("yes")
        await anna.hears("Well?: yes (Anna)")
        gate.set()
        await anna.hears("done")
    assert [message.content for message in model.prompts[-1].messages[-2:]] == ["User reply: yes", "slow done"]


async def test_a_question_holds_no_slot_while_it_waits(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("other chat"))
    async with opened(replace(asking, turns=1)):
        await platform.person("anna").says("deliver the pump")
        await platform.hears("Which hall?")
        await platform.person("ben", chat="b").says("hello")
        await platform.hears("other chat", chat="b")


async def test_more_questions_than_attempts_do_not_end_a_turn(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(*(calls("ask_user", question=f"Question {n}?") for n in range(8)), says("enough"))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("interview me")
        for n in range(8):
            await anna.hears(f"Question {n}?")
            await anna.says(f"answer {n}")
            await anna.hears(f"answer {n} (Anna)")
        await anna.hears("enough")


async def test_a_reply_to_the_card_answers_that_question(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("to hall 3"))
    async with opened(asking):
        await platform.person("anna").says("deliver the pump")
        card = await platform.hears("Which hall?")
        await platform.acknowledges(platform.replies("anna", card, "Hall 3"))
        await platform.hears("Which hall?: Hall 3 (Anna)")
        await platform.hears("to hall 3")


async def test_where_everybody_may_answer_another_members_words_count(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(WHICH_HALL, says("to hall 4"))
    async with opened(replace(asking, answerers=Answerers.MEMBERS)):
        await platform.person("anna").says("deliver the pump")
        await platform.hears("Which hall?")
        await platform.person("ben").says("4")
        await platform.hears("Which hall?: 4 (Ben)")
        await platform.hears("to hall 4")


@pytest.mark.parametrize("admin", [True, False])
async def test_where_admins_may_answer_only_they_and_the_person_asked_do(
    asking: House, platform: FakePlatform, model: ScriptedModel, admin: bool
) -> None:
    model.then(WHICH_HALL, says("to hall 4"))
    async with opened(replace(asking, answerers=Answerers.CHAT_ADMINS)):
        await platform.person("anna").says("deliver the pump")
        card = await platform.hears("Which hall?")
        await platform.acknowledges(platform.replies("ben", card, "2", admin=admin))
        await platform.hears("Which hall?: Hall 4 (Ben)" if admin else "I am waiting for Anna's answer first")


async def test_a_question_that_was_only_read_back_is_closed_by_a_message_of_its_own(
    asking: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    platform.profile = Profile.READBACK
    platform.fails_next(Fault.TAKEN_UNANSWERED)
    model.then(WHICH_HALL, says("Hall 4 it is."))
    anna = platform.person("anna")
    async with opened(asking):
        await anna.says("deliver the pump")
        await anna.hears("Which hall?")
        await anna.says("2")
        await anna.hears("Which hall?: Hall 4 (Anna)")
        await anna.hears("Hall 4 it is.")
    assert len(platform.ledger.lines()) == 3
