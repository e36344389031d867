"""What every channel promises, on every channel."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable

import pytest

from channels.contract import Edits, Limits, Paced, Places, TextUnit
from core.domain.chat import ChatKey, Principal
from core.domain.delivery import Receipt, Settled
from core.domain.errors import SendError
from core.domain.message import Choice, Dropped, Inbound, Markdown, Mention, OutgoingFile, Reply, Text, says
from core.domain.pace import Once
from tests.contract.intake import Intake, listening
from tests.contract.rigs import SUBJECTS, Acknowledges, Echoes, PartT, Rig, Subject

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
HOSTILE = "ok \x1b]0;owned\x07 \x1b[2J\x9d0;owned\x9c\x00\u202e\ud800 done"
ANN = Principal(channel="any", account="any", user_id="u1", name="Ann")
REPLIES = {
    "empty": Reply(fragments=()),
    "blank": says(""),
    "markdown": Reply(fragments=(Markdown(source="# Title\n\n**bold** `code`\n\n```\nblock\n```\n- item"),)),
    "literal": says("2*3*4 <@U1> [x](y) & _so on_"),
    "mention": Reply(fragments=(Mention(principal=ANN), Text(text=", look"))),
    "files": Reply(fragments=(), files=(OutgoingFile(path="data/a.pdf", name="a.pdf", caption="the plan"),)),
    "choices": Reply(fragments=(Text(text="Which?"),), choices=(Choice(label="Left", token="t1"),)),
    "long": says("A sentence of some words. " * 2_000),
    "one endless word": says("x" * 20_000),
    "beyond the basic plane": says("👩‍👩‍👧 " * 5_000),
    "hostile": Reply(fragments=(Markdown(source=HOSTILE), Text(text=HOSTILE), Mention(principal=ANN))),
}
LENGTH: dict[TextUnit, Callable[[str], int]] = {
    TextUnit.CHARACTERS: len,
    TextUnit.UTF16: lambda text: len(text.encode("utf-16-le")) // 2,
    TextUnit.BYTES: lambda text: len(text.encode()),
}


def named(subject: Subject) -> str:
    """The name in the test's id."""
    return subject.name


@pytest.fixture(params=SUBJECTS, ids=named)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[object]:
    """Every channel."""
    async with request.param.opens() as opened:
        yield opened


@pytest.fixture(params=[subject for subject in SUBJECTS if subject.acknowledges], ids=named)
async def acknowledging(request: pytest.FixtureRequest) -> AsyncIterator[object]:
    """Those whose platform repeats what was not acknowledged."""
    async with request.param.opens() as opened:
        yield opened


@pytest.fixture(params=[subject for subject in SUBJECTS if subject.echoes], ids=named)
async def echoing(request: pytest.FixtureRequest) -> AsyncIterator[object]:
    """Those whose platform hands out our own messages."""
    async with request.param.opens() as opened:
        yield opened


@pytest.mark.parametrize("kind", REPLIES)
async def test_rendering_gives_the_same_json_every_time(rig: Rig[PartT], kind: str) -> None:
    parts = [json.dumps(part) for part in rig.channel.render(REPLIES[kind])]
    assert parts
    assert parts == [json.dumps(part) for part in rig.channel.render(REPLIES[kind])]


@pytest.mark.parametrize("kind", REPLIES)
async def test_a_part_that_was_stored_as_json_can_be_sent(rig: Rig[PartT], kind: str) -> None:
    for number, part in enumerate(rig.channel.render(REPLIES[kind])):
        stored = json.loads(json.dumps(part))
        assert stored == part
        assert (await asyncio.wait_for(_sent(rig, stored, f"k{number}"), 5)).message_id


@pytest.mark.parametrize("kind", REPLIES)
async def test_no_part_is_longer_than_the_platform_takes(rig: Rig[PartT], kind: str) -> None:
    limits: Limits = rig.channel.limits
    texts = [rig.text_of(part) for part in rig.channel.render(REPLIES[kind])]
    assert not limits.text or max(LENGTH[limits.unit](text) for text in texts) <= limits.text


async def test_cutting_a_reply_loses_no_word(rig: Rig[PartT]) -> None:
    words = [f"word{number}" for number in range(5_000)]
    parts = rig.channel.render(says(" ".join(words)))
    shown = "".join(rig.text_of(part) for part in parts)
    assert re.findall(r"word\d+", shown) == words


async def test_no_control_character_leaves(rig: Rig[PartT]) -> None:
    for number, part in enumerate(rig.channel.render(REPLIES["hostile"])):
        assert not CONTROLS.search(json.dumps(part, ensure_ascii=False))
        await _sent(rig, part, f"k{number}")
    left = await rig.left("done")
    assert not CONTROLS.search(left)
    assert "owned" not in left


async def test_what_a_person_says_arrives_with_its_author_and_its_chat(rig: Rig[PartT]) -> None:
    intake = Intake()
    async with listening(rig.channel, intake):
        rig.says("hello\n**there** Grüße 👩‍👩‍👧")
        (event,) = await intake.stores(1)
    assert isinstance(event, Inbound)
    assert (event.content, event.chat) == ("hello\n**there** Grüße 👩‍👩‍👧", rig.chat)
    assert (event.sender.channel, event.sender.account) == (rig.chat.channel, rig.chat.account)
    assert event.sender.user_id
    assert rig.channel.lane.serves(event.chat)


async def test_messages_arrive_in_order_each_under_its_own_key(rig: Rig[PartT]) -> None:
    intake = Intake()
    async with listening(rig.channel, intake):
        for number in range(20):
            rig.says(f"message {number}")
        events = await intake.stores(20)
    assert await intake.hears(20) == [f"message {number}" for number in range(20)]
    assert len({event.event_key for event in events}) == 20


async def test_nothing_is_acknowledged_before_it_is_stored(acknowledging: Rig[PartT]) -> None:
    rig, intake = acknowledging, Intake(holds=True)
    assert isinstance(rig, Acknowledges)
    async with listening(rig.channel, intake):
        rig.says("hello")
        await intake.is_offered(1)
        assert rig.acknowledged() == 0
        intake.lets_go()
        rig.says("next")
        await intake.stores(2)
    assert rig.acknowledged() >= 1


async def test_the_same_event_handed_out_again_has_the_same_key(acknowledging: Rig[PartT]) -> None:
    rig, intake = acknowledging, Intake(refusals=1)
    assert isinstance(rig, Acknowledges)
    async with listening(rig.channel, intake):
        rig.says("hello")
        await intake.is_offered(1)
        rig.redelivers()
        first, second = await intake.is_offered(2)
    assert first == second


async def test_a_message_that_was_not_stored_is_not_lost_in_silence(rig: Rig[PartT]) -> None:
    intake = Intake(refusals=1)
    async with listening(rig.channel, intake):
        rig.says("hello")
        await intake.is_offered(1)
        assert await rig.knows_that_it_was_not_stored()


async def test_what_means_nothing_is_dropped_and_the_next_message_arrives(rig: Rig[PartT]) -> None:
    intake = Intake()
    async with listening(rig.channel, intake):
        rig.babbles()
        rig.says("hello")
        dropped, said = await intake.stores(2)
    assert isinstance(dropped, Dropped)
    assert dropped.reason
    assert isinstance(said, Inbound)


async def test_our_own_message_is_dropped(echoing: Rig[PartT]) -> None:
    rig, intake = echoing, Intake()
    assert isinstance(rig, Echoes)
    async with listening(rig.channel, intake):
        rig.echoes("I said this")
        (event,) = await intake.stores(1)
    assert isinstance(event, Dropped)
    assert event.reason == "own"


async def test_a_reply_leaves_once_and_whole(rig: Rig[PartT]) -> None:
    (part,) = rig.channel.render(says("an answer"))
    receipt = await _sent(rig, part, "k")
    assert receipt.message_id
    assert (await rig.left("an answer")).count("an answer") == 1


async def test_every_failure_to_send_is_a_send_error(rig: Rig[PartT]) -> None:
    (part,) = rig.channel.render(says("an answer"))
    for number, fails in enumerate(rig.faults()):
        fails()
        with pytest.raises(SendError):
            await asyncio.wait_for(_sent(rig, part, f"k{number}"), 5)


async def test_a_reply_to_a_chat_of_another_account_is_refused(rig: Rig[PartT]) -> None:
    (part,) = rig.channel.render(says("an answer"))
    foreign = ChatKey(channel=rig.chat.channel, account="somebody else", chat_id=rig.chat.chat_id)
    assert not rig.channel.lane.serves(foreign)
    with pytest.raises(SendError):
        await rig.channel.send(foreign, part, "k")


async def test_nobody_claims_that_an_unsent_part_was_sent(rig: Rig[PartT]) -> None:
    (part,) = rig.channel.render(says("an answer"))
    assert await rig.channel.settle(rig.chat, part, "never sent") is not Settled.SENT


async def test_a_part_that_is_settled_as_not_sent_can_be_repeated_unseen(rig: Rig[PartT]) -> None:
    (part,) = rig.channel.render(says("an answer"))
    await _sent(rig, part, "k")
    if await rig.channel.settle(rig.chat, part, "k") is Settled.NOT_SENT:
        await _sent(rig, part, "k")
    assert (await rig.left("an answer")).count("an answer") == 1


async def test_a_call_needs_the_same_buckets_every_time(rig: Rig[PartT]) -> None:
    if isinstance(rig.channel, Paced):
        paces = rig.channel.paces(rig.chat)
        assert rig.channel.paces(rig.chat) == paces
        assert len(set(paces)) == len(paces)


async def test_a_channel_that_begins_with_placeholders_can_edit_them(rig: Rig[PartT]) -> None:
    limits: Limits = rig.channel.limits
    if limits.once is Once.PLACEHOLDER:
        assert limits.edits
        assert isinstance(rig.channel, Edits)
        assert isinstance(rig.channel, Places)
        (part,) = rig.channel.render(says("an answer"))
        first = rig.channel.placeholder(part, "...")
        assert json.loads(json.dumps(first)) == first
        assert first is not None


async def test_a_listener_that_is_cancelled_ends_and_another_goes_on(rig: Rig[PartT]) -> None:
    intake = Intake()
    async with listening(rig.channel, intake) as task:
        rig.says("one")
        await intake.stores(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
    async with listening(rig.channel, intake):
        rig.says("two")
        assert (await intake.hears(2))[-1] == "two"


async def _sent(rig: Rig[PartT], part: PartT, key: str) -> Receipt:
    return await rig.channel.send(rig.chat, part, key)
