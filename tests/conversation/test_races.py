"""Messages that come at the worst moment, and ends of turns that come too late."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.bus import Telemetry
from core.domain.chat import ChatKey
from core.models.scripted import ScriptedModel, calls, hangs, says, waits
from core.ports import Accepted
from core.store import session
from core.tools.ask_user import ask_user
from gateway.wiring import Gateway
from tests.conversation.watching import asked
from tests.fakes.channel import ACCOUNT, CHANNEL
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePart, FakePlatform

ROOM = ChatKey(channel=CHANNEL, account=ACCOUNT, chat_id="room")


class Interrupted(FakePlatform):
    """Somebody speaks while a reply is being sent, right before the platform takes it or right after."""

    def __init__(self, words: Sequence[str], *, before: bool) -> None:
        super().__init__()
        self._words = list(words)
        self._before = before

    async def post(self, *, chat: ChatKey, part: FakePart, key: str) -> str:
        """Take it, with an interjection."""
        if self._before:
            self._interject()
        message_id = await super().post(chat=chat, part=part, key=key)
        if not self._before:
            self._interject()
        return message_id

    def _interject(self) -> None:
        if self._words:
            self.says("anna", self._words.pop())


async def answers_both(platform: FakePlatform, model: ScriptedModel) -> None:
    """Each of two messages has its turn, and nothing a second one."""
    await platform.hears("to one")
    await platform.hears("to two")
    assert [prompt.messages[-1].content for prompt in model.prompts] == ["one", "two"]
    assert len(platform.ledger.lines()) == 2


async def test_a_message_in_front_of_the_last_commit_is_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("to one")), says("to two"))
    async with opened(house):
        platform.says("anna", "one")
        await asked(model)
        platform.says("anna", "two")
        gate.set()
        await answers_both(platform, model)


@pytest.mark.parametrize("before", [True, False])
async def test_a_message_that_comes_with_the_reply_is_answered(
    house: House, model: ScriptedModel, before: bool
) -> None:
    platform = Interrupted(["two"], before=before)
    model.then(says("to one"), says("to two"))
    async with opened(replace(house, platform=platform)):
        platform.says("anna", "one")
        await answers_both(platform, model)


async def test_a_message_right_after_the_end_of_a_turn_is_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("to one"), says("to two"))
    async with opened(house) as gateway:
        with gateway.bus.subscribe(Telemetry) as happened:
            platform.says("anna", "one")
            async for message in happened:
                if isinstance(message, Telemetry) and message.data.get("state") == "terminated":
                    break
        platform.says("anna", "two")
        await answers_both(platform, model)


async def test_a_message_to_a_chat_where_nothing_is_left_to_do_is_answered(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("to one"), says("to two"))
    async with opened(house) as gateway:
        platform.says("anna", "one")
        await platform.changes.until(lambda: bool(platform.ledger.lines()), within=5, otherwise=str)
        await quiet(gateway)
        platform.says("anna", "two")
        await answers_both(platform, model)


async def quiet(gateway: Gateway) -> None:
    """Until nothing of the room is under way."""
    while await gateway.world.store.read(session.under_way, ROOM):
        pass


async def test_the_late_end_of_a_stopped_turn_ends_nothing_else(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    model.then(waits(first.wait, says("too late")), waits(second.wait, says("to the second question")))
    anna = platform.person("anna", chat="chatA")
    async with opened(house):
        await anna.says("first question")
        await asked(model)
        await anna.says("/stop")
        await anna.says("second question")
        await asked(model, 2)
        first.set()
        second.set()
        await anna.hears("Stopped.")
        await anna.hears("to the second question")
    assert len(platform.ledger.lines()) == 2


async def test_an_answer_counts_only_in_its_thread_and_from_the_person_asked(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(
        calls("ask_user", question="Delete logs?"),
        calls("ask_user", question="Delete backups?"),
        says("Backups stay."),
        hangs(),
    )
    anna = platform.person("anna", chat="grp", thread="t1", shared=True)
    ben = platform.person("ben", chat="grp", thread="t2", shared=True)
    carl = platform.person("carl", chat="grp", thread="t1", shared=True)
    async with opened(replace(house, tools={"ask_user": ask_user})):
        await anna.says("delete old logs?")
        assert (await platform.hears("Delete logs?", chat="grp")).thread == "t1"
        await ben.says("delete backups?")
        assert (await platform.hears("Delete backups?", chat="grp")).thread == "t2"
        await carl.says("yes")
        assert (await platform.hears("I am waiting for Anna's answer first", chat="grp")).thread == "t1"
        await ben.says("no")
        assert (await platform.hears("Delete backups?: no (Ben)", chat="grp")).thread == "t2"
        assert (await platform.hears("Backups stay.", chat="grp")).thread == "t2"
        await anna.says("keep them")
        assert (await platform.hears("Delete logs?: keep them (Anna)", chat="grp")).thread == "t1"


async def test_a_turn_that_is_stopped_before_its_first_step_gives_its_slot_back(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("to zero"), says("to two"))
    anna = platform.person("anna")
    async with opened(replace(house, turns=1)) as gateway:
        await anna.says("zero")
        await anna.hears("to zero")
        await anna.says("/whoami")
        await anna.hears("anna")
        assert gateway.worker.reserve()
        await anna.says("one")
        (claim,) = await gateway.turns.claim(1)
        gateway.worker.start(claim)
        gateway.worker.follow(Accepted(inbound=0, chat_row=claim.chat_row, stopped=(claim.turn,)))
        await anna.says("/stop")
        await anna.hears("Stopped.")
        await anna.says("two")
        await anna.hears("to two")
