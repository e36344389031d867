"""What people are told of themselves, of who answers, and of what it cost."""

from dataclasses import replace

from core.domain.errors import ModelRefused, ModelUnreachable
from core.domain.step import ModelAnswered
from core.domain.turn import Usage
from core.models.scripted import ScriptedModel, fails, hangs, says
from tests.fakes.chance import FakeChance
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform, Person

DAY_S = 24 * 3600.0


def costs(text: str, read: int, written: int, dollars: float = 0.0) -> ModelAnswered:
    """An answer and its price."""
    return replace(says(text), usage=Usage(prompt_tokens=read, completion_tokens=written, cost=dollars))


async def answer_to(person: Person, command: str) -> str:
    """All that a command says."""
    await person.says(command)
    return (await person.hears("")).text


async def test_whoami_gives_the_words_that_an_operator_needs(house: House, platform: FakePlatform) -> None:
    async with opened(house):
        told = await answer_to(platform.person("anna"), "/whoami")
    assert told == "Id: anna\nChannel: fake, account acme\nRole: member"


async def test_usage_counts_today_and_the_current_conversation(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(costs("one", 1_000, 20, 0.5), costs("two", 300, 4), costs("three", 70, 1), costs("other", 9, 9, 9.0))
    anna, ben = platform.person("anna"), platform.person("ben", chat="bens")
    async with opened(replace(house, clock=clock)):
        assert await answer_to(anna, "/usage") == (
            "Today: 0 tokens read, 0 written\nThis conversation: 0 tokens read, 0 written"
        )
        await anna.says("yesterday")
        await anna.hears("one")
        await clock.advance(DAY_S)
        await anna.says("today")
        await anna.hears("two")
        assert await answer_to(anna, "/usage") == (
            "Today: 300 tokens read, 4 written\nThis conversation: 1,300 tokens read, 24 written, $0.5000"
        )
        await anna.says("/new")
        await anna.hears("New conversation.")
        await anna.says("anew")
        await anna.hears("three")
        await anna.says("/undo")
        await anna.hears("Undone: anew")
        await ben.says("elsewhere")
        await ben.hears("other")
        assert await answer_to(anna, "/usage") == (
            "Today: 370 tokens read, 5 written\nThis conversation: 70 tokens read, 1 written"
        )


async def test_why_names_the_agent_the_model_and_the_reason(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    second = ScriptedModel(says("two"), name="second")
    model.then(says("one"))
    anna = platform.person("anna")
    async with opened(replace(house, models=[model, second])):
        assert await answer_to(anna, "/why") == "Model: scripted, the default; if it fails: second"
        await anna.says("hello")
        await anna.hears("one")
        await anna.says("/model second")
        await anna.hears("This chat now uses second.")
        assert await answer_to(anna, "/why") == (
            "Agent: main\n"
            "Model: second, chosen with /model; if it fails: scripted\n"
            "Last message (2): answered by scripted"
        )
    async with opened(house):
        assert (await answer_to(anna, "/why")).startswith(
            "Agent: main\nModel: scripted, the default, since there is no second any more\n"
        )


async def test_why_tells_what_became_of_the_last_message(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(fails(ModelRefused("bad key")), hangs())
    anna = platform.person("anna")
    async with opened(house):
        await anna.says("hello")
        await anna.hears("I could not answer this: the model refused.")
        assert (await answer_to(anna, "/why")).endswith("Last message (1): failed, the model refused (tried: scripted)")
        await anna.says("long work")
        assert (await answer_to(anna, "/why")).endswith("Last message (3): is being worked on")
        await anna.says("behind it")
        assert (await answer_to(anna, "/why")).endswith("Last message (5): waits its turn")
        await anna.says("/stop")
        await anna.hears("Stopped.")
        assert (await answer_to(anna, "/why")).endswith("Last message (5): was stopped")


async def test_why_names_the_model_that_answered_in_the_place_of_another(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(fails(ModelUnreachable("down")))
    second = ScriptedModel(says("from the second"), name="second")
    anna = platform.person("anna")
    async with opened(replace(house, models=[model, second], clock=clock, chance=FakeChance())):
        await anna.says("hello")
        await clock.run_until(anna.hears("from the second"))
        assert (await answer_to(anna, "/why")).endswith("Last message (1): answered by second")
