"""What went wrong with other programs on Slack, each as it has to go."""

import asyncio
import logging
from dataclasses import replace

import pytest

from core.domain.chat import ChatKey
from core.domain.presence import Etiquette, Streaming
from core.models.scripted import ScriptedModel, calls, hangs, says, says_slowly, waits
from core.tools.send_file import send_file
from core.tools.send_message import send_message
from tests.fakes.slack import BOT, TEAM, SlackServer
from tests.fakes.slack.events import event_body
from tests.fakes.waiting import until
from tests.fakes.wire import Json, text_at
from tests.slack.conftest import ANNA, CARL, DIRECT, GENERAL
from tests.slack.house import SlackHouse, Watcher, running

SENTENCE = "A sentence about bearings and grease. "


@pytest.mark.parametrize("mention_first", [False, True])
async def test_a_mention_that_comes_as_two_events_is_one_turn_in_either_order(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher, mention_first: bool
) -> None:
    server.people.mention_first = mention_first
    model.then(says("All well."), says("Bye."))
    async with running(house):
        root = await server.people.says(ANNA, GENERAL, f"hey <@{BOT}> status?")
        await watcher.hears(GENERAL, "All well.", thread=root)
        await until(lambda: server.sockets.acknowledged >= 2)
        await server.people.says(ANNA, DIRECT, "bye")
        await watcher.hears(DIRECT, "Bye.")
    assert model.asked == 2


async def test_an_event_that_comes_again_after_a_restart_is_acknowledged_and_ignored(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    ts = server.world.next_ts()
    message: Json = {"type": "message", "user": ANNA, "text": "book the room", "ts": ts, "event_ts": ts}
    told = event_body(message | {"channel": DIRECT, "channel_type": "im"}, "EvSame", server.world.now())
    model.then(says("Booked."))
    async with running(house):
        for _ in range(3):
            await (await server.sockets.offer(told)).acknowledged()
        await watcher.hears(DIRECT, "Booked.")
    async with running(house):
        await (await server.sockets.offer(told)).acknowledged()
    assert (server.sockets.acknowledged >= 4, model.asked, len(watcher.says(DIRECT))) == (True, 1, 1)


async def test_one_gesture_with_two_times_is_one_turn(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Once."), says("Then."))
    async with running(house):
        await server.people.says(ANNA, DIRECT, "do it", client_msg_id="7f1c0000-0000-4000-8000-000000000001")
        await server.people.says(ANNA, DIRECT, "do it", client_msg_id="7f1c0000-0000-4000-8000-000000000001")
        await watcher.hears(DIRECT, "Once.")
        await server.people.says(ANNA, DIRECT, "then this")
        await watcher.hears(DIRECT, "Then.")
    assert model.asked == 2


async def test_a_preview_is_no_edit_and_an_edit_is_no_second_turn(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Read."), says("Next."))
    async with running(house):
        ts = await server.people.says(ANNA, DIRECT, "read <https://example.com/x>")
        await watcher.hears(DIRECT, "Read.")
        before = dict(server.world.conversations[DIRECT].messages[ts])
        changed: Json = {"type": "message", "subtype": "message_changed", "channel": DIRECT, "channel_type": "im"}
        now = server.world.next_ts()
        preview: Json = {"message": before | {"attachments": [{"id": 1}]}, "previous_message": before}
        await server.people.sends(changed | preview | {"ts": now, "event_ts": now}, ANNA)
        await server.people.edits(ANNA, DIRECT, ts, "read <https://example.com/y>")
        await server.people.says(ANNA, DIRECT, "next")
        await watcher.hears(DIRECT, "Next.")
    kinds = house.rows("SELECT kind, drop_reason FROM inbound WHERE kind = 'edit' OR drop_reason = 'noise' ORDER BY id")
    assert (kinds[-2:], model.asked) == ([("message", "noise"), ("edit", kinds[-1][1])], 2)


async def test_a_message_to_another_channel_takes_no_thread_along(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    server.world.conversation("C0OTHER001", ANNA)
    other = ChatKey(channel="slack", account=TEAM, chat_id="C0OTHER001")
    model.then(calls("send_message", to="lunch", text="lunch ready"), says("Done."))
    async with running(replace(house, tools={"send_message": send_message({"lunch": other})})):
        await server.people.says(ANNA, DIRECT, "post 'lunch ready' in the other channel")
        await watcher.hears(DIRECT, "Done.")
        await watcher.hears("C0OTHER001", "lunch ready")
    assert all("thread_ts" not in one for one in watcher.accepted("chat.postMessage"))


async def test_a_page_to_sign_in_is_no_file(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher, caplog: pytest.LogCaptureFixture
) -> None:
    model.then(says("I cannot see it."))
    files: list[Json] = [{"id": "F0PHOTO001", "name": "pump.png", "mimetype": "image/png", "size": 48_211}]
    files[0]["url_private_download"] = f"{server.url}/sign-in"
    caplog.set_level(logging.WARNING)
    async with running(house):
        await server.people.says(ANNA, DIRECT, "what is on this photo?", subtype="file_share", files=files)
        await watcher.hears(DIRECT, "I cannot see it.")
    assert "what is on this photo?" in str(model.prompts[0].messages[-1])
    assert not (house.folder / "workspace" / "uploads" / DIRECT).exists() or not list(
        (house.folder / "workspace" / "uploads" / DIRECT).iterdir()
    )


@pytest.mark.parametrize("size", [25_000_001, 10])
async def test_a_file_that_is_too_large_is_only_named(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher, size: int
) -> None:
    """Whether it says so, or is longer than it says."""
    model.then(says("It is too large for me."))
    async with running(replace(house, more={"file_mb": 0.001})):
        ts = await server.people.uploads(ANNA, DIRECT, "big.bin", b"x" * 5_000, "look")
        await watcher.hears(DIRECT, "It is too large for me.")
    assert ts
    assert "not stored" in str(model.prompts[0].messages[-1]) or "big.bin" in str(model.prompts[0].messages[-1])
    assert not list((house.folder / "workspace").rglob("*big.bin"))


async def test_other_programs_start_nothing(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Hello."))
    async with running(house):
        for _ in range(9):
            await server.people.says("U0OTHERBOT", GENERAL, f"<@{BOT}> thanks!", bot_id="B0OTHER001")
        await server.people.says(ANNA, DIRECT, "hello")
        await watcher.hears(DIRECT, "Hello.")
    assert model.asked == 1


async def test_a_long_answer_goes_on_in_another_message_of_its_thread(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    gate = asyncio.Event()
    model.then(says_slowly(SENTENCE * 60, gate.wait, SENTENCE * 110))
    async with running(replace(house, etiquette=Etiquette(streaming=Streaming.ALL))):
        root = await server.people.says(ANNA, GENERAL, f"<@{BOT}> tell me all")
        await until(lambda: any(SENTENCE.strip() in text for text in watcher.says(GENERAL, root)))
        gate.set()
        await until(lambda: "".join(watcher.says(GENERAL, root)).count(SENTENCE.strip()) == 170)
    shown = watcher.says(GENERAL, root)
    assert len(shown) >= 2
    assert max(map(len, shown)) <= 4_000
    assert not watcher.says(GENERAL)


async def test_a_file_that_is_refused_is_told_of_and_repeats_nothing(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    (house.folder / "workspace" / "chart.png").write_bytes(b"x" * 1_200)
    server.faults.refuse("files.completeUploadExternal", "not_in_channel")
    model.then(calls("send_file", path="chart.png"), says("Here is the chart."), says("Yes."))
    async with running(replace(house, tools={"send_file": send_file})):
        await server.people.says(ANNA, DIRECT, "a chart please")
        await watcher.hears(DIRECT, "I could not send the file chart.png")
        await server.people.says(ANNA, DIRECT, "all there?")
        await watcher.hears(DIRECT, "Yes.")
    assert sum("Here is the chart." in text for text in watcher.says(DIRECT)) == 1


@pytest.mark.parametrize("after", [True, False])
async def test_a_post_without_an_answer_is_looked_for_before_it_is_repeated(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher, after: bool
) -> None:
    server.faults.cut("chat.postMessage", after=after)
    model.then(says("Order confirmed."), says("Next."))
    async with running(house):
        await server.people.says(ANNA, DIRECT, "order it")
        await watcher.hears(DIRECT, "Order confirmed.")
        await server.people.says(ANNA, DIRECT, "next")
        await watcher.hears(DIRECT, "Next.")
    assert watcher.says(DIRECT) == ["Order confirmed.", "Next."]


async def test_two_quick_messages_in_a_thread_are_both_answered_in_order(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("Weighed.")), says("Labelled."))
    async with running(house):
        root = await server.people.says(CARL, GENERAL, "two things")
        await server.people.says(ANNA, GENERAL, f"<@{BOT}> first: weigh it", thread_ts=root)
        await server.people.says(ANNA, GENERAL, f"<@{BOT}> second: label it", thread_ts=root)
        gate.set()
        await watcher.hears(GENERAL, "Labelled.", thread=root)
    assert watcher.says(GENERAL, root) == ["Weighed.", "Labelled."]


async def test_a_message_that_is_taken_back_stops_its_turn(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(hangs(), says("Hello."))
    async with running(house):
        ts = await server.people.says(ANNA, DIRECT, "take your time")
        await until(lambda: model.asked == 1)
        await server.people.deletes(ANNA, DIRECT, ts)
        await server.people.says(ANNA, DIRECT, "hello")
        await watcher.hears(DIRECT, "Hello.")
    assert text_at(watcher.accepted("chat.postMessage")[-1], "text") == "Hello."
