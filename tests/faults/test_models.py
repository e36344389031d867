"""Models that fail in every way on the wire, under a whole gateway: one visible outcome, never half of an answer."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.litellm import Library, LiteLLMModel
from core.runtime.asking import TRIES
from tests.contract.models.conftest import HELLO, LIBRARY_WARNINGS
from tests.fakes.chance import FakeChance
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.openai_server import CUT, Act, OpenAIServer, WireCall, answers, delta, fails, hangs, replies, streams
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import answers as tool_answers

pytestmark = [pytest.mark.filterwarnings(warning) for warning in LIBRARY_WARNINGS]

UNREACHABLE = "the model is not reachable"
NO_ANSWER = "the model gave no answer"
BASE = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
OFFSETS = 20


def on_the_wire(*events: object) -> str:
    return "".join(f"data: {json.dumps({**BASE, **event})}\n\n" for event in events if isinstance(event, dict))


WHOLE = "One two three four five."
STREAM = on_the_wire(*[delta(content=f"{word} ") for word in WHOLE.split()], delta("stop"))
ENDLESS = {"raw": on_the_wire(*[delta(content=f"word{number} ") for number in range(1_000)])}

# What would go on for ever is given up after so many seconds.
SHORT_S = {"silence": 0.5, "an endless stream": 0.5}
# What the server does with every request, the cause that the person reads, and how often it is asked.
BROKEN: dict[str, tuple[Act, str, int]] = {
    "too many requests": (fails(429, "slow down"), UNREACHABLE, TRIES),
    "come back later": (fails(429, "slow down", headers={"Retry-After": "7"}), UNREACHABLE, TRIES),
    "an error": (fails(500, "boom"), UNREACHABLE, TRIES),
    "an overload": (fails(529, "overloaded"), UNREACHABLE, TRIES),
    "silence": (hangs(), UNREACHABLE, TRIES),
    "an endless stream": (streams(*[ENDLESS] * 10_000), UNREACHABLE, TRIES),
    "garbage in the stream": (streams(delta(content="Half an"), {"raw": "data: {oh no\n\n"}), NO_ANSWER, TRIES),
    "no stream": (replies(200, "oh no", headers={"Content-Type": "text/event-stream"}), NO_ANSWER, TRIES),
}


@pytest.fixture(scope="module")
def loaded() -> Library:
    """Loaded once for all."""
    return Library()


@pytest.fixture
async def library(loaded: Library) -> AsyncIterator[Library]:
    """Its connections belong to this test's loop. One answer has come through it: the first one takes long."""
    async with OpenAIServer(answers("warm")) as server:
        await model_of(server, loaded, 60.0).answer(HELLO, lambda text: None)
    yield loaded
    await loaded.close()


def model_of(server: OpenAIServer, library: Library, whole_s: float) -> LiteLLMModel:
    entry = ModelEntry(
        name="test",
        model="openai/test",
        api_base=server.url,
        api_key=Secret("sk-test-NOTREAL"),
        first_byte_s=whole_s,
        whole_s=whole_s,
    )
    return LiteLLMModel(entry, library)


def asks(house: House, server: OpenAIServer, library: Library, clock: FakeClock, whole_s: float = 60.0) -> House:
    """The gateway with this server as its model; the pauses between two tries take no time."""
    return replace(house, models=[model_of(server, library, whole_s)], clock=clock, chance=FakeChance())


@pytest.mark.parametrize("name", BROKEN)
async def test_a_model_that_gives_no_answer_is_said_to_be_so_once_and_the_chat_goes_on(
    house: House, platform: FakePlatform, library: Library, name: str
) -> None:
    act, cause, asked = BROKEN[name]
    clock, anna = FakeClock(), platform.person("anna")
    async with (
        OpenAIServer(*[act] * asked, answers("Fine.")) as server,
        opened(asks(house, server, library, clock, SHORT_S.get(name, 60.0))) as gateway,
    ):
        await anna.says("hello")
        sent = await passing(gateway, clock, platform.reads(within=30))
        assert sent.text.startswith(f"I could not answer this: {cause}. /retry tries again.")
        assert len(server.ledger) == asked
        await anna.says("again")
        await passing(gateway, clock, platform.hears("Fine.", within=30))
    assert len(platform.ledger.lines()) == 2


async def test_a_stream_that_is_cut_anywhere_is_never_taken_for_an_answer(
    house: House, platform: FakePlatform, library: Library
) -> None:
    clock, anna = FakeClock(), platform.person("anna")
    offsets = [len(STREAM) * place // OFFSETS for place in range(OFFSETS)]
    script = [act for offset in offsets for act in (streams({"raw": STREAM[:offset]}, CUT), answers("Again."))]
    async with OpenAIServer(*script) as server, opened(asks(house, server, library, clock)) as gateway:
        for place, offset in enumerate(offsets):
            await anna.says(f"{offset}")
            sent = await passing(gateway, clock, platform.reads(within=30))
            assert sent.text == "Again.", f"cut at {offset} of {len(STREAM)}"
            assert len(server.ledger) == 2 * place + 2
    assert len(platform.ledger.lines()) == OFFSETS


@pytest.mark.parametrize("arguments", ["", "{", '{"a": ', "[]", "nonsense", "null"])
async def test_a_call_that_cannot_be_read_is_told_to_the_model_and_the_turn_ends_well(
    house: House, platform: FakePlatform, library: Library, arguments: str
) -> None:
    clock, tool = FakeClock(), tool_answers("look", "seen")
    async with OpenAIServer(answers(calls=[WireCall(name="look", arguments=arguments)]), answers("Fine.")) as server:
        world = replace(asks(house, server, library, clock), tools={"look": tool})
        async with opened(world) as gateway:
            await platform.person("anna").says("hello")
            await passing(gateway, clock, platform.hears("Fine.", within=30))
    assert len(platform.ledger.lines()) == 1


async def test_an_empty_answer_is_one_visible_outcome(house: House, platform: FakePlatform, library: Library) -> None:
    clock = FakeClock()
    async with (
        OpenAIServer(answers(""), repeat_last=True) as server,
        opened(asks(house, server, library, clock)) as gateway,
    ):
        await platform.person("anna").says("hello")
        sent = await passing(gateway, clock, platform.reads(within=30))
        await passing(gateway, clock, clock.sleep(60), step=10)
    assert sent.text.startswith(f"I could not answer this: {NO_ANSWER}.")
    # Asked for once more, in words.
    assert (len(platform.ledger.lines()), len(server.ledger)) == (1, 2)
