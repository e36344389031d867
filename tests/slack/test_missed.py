"""What was said while nobody listened, and what was said before there was an app."""

from dataclasses import replace

import pytest

from core.models.scripted import ScriptedModel, says
from tests.fakes.slack import BOT, TEAM, SlackServer
from tests.fakes.slack.events import event_body
from tests.fakes.waiting import until
from tests.fakes.wire import Json
from tests.slack.conftest import ANNA, DIRECT, GENERAL
from tests.slack.house import SlackHouse, Watcher, running


def old(server: SlackServer, channel: str, count: int, *, ago_s: float = 0.0, **more: object) -> list[str]:
    """So many messages that stand there already, the first of them from so long ago. Their ts."""
    place, written = server.world.conversations[channel], []
    for number in range(count):
        ts = f"{server.world.now() - ago_s + number / 1000:.6f}" if ago_s else server.world.next_ts()
        message: Json = {"type": "message", "user": ANNA, "text": f"<@{BOT}> old {number}", "ts": ts, "team": TEAM}
        place.messages[ts] = message | more
        written.append(ts)
    return written


async def test_ten_thousand_old_messages_at_the_first_connection_send_nothing(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    for channel in (GENERAL, DIRECT):
        old(server, channel, 5_000, ago_s=3_600)
    model.then(says("First."), says("Second."))
    async with running(house):
        await server.people.says(ANNA, DIRECT, "hello")
        await watcher.hears(DIRECT, "First.")
    # Nor does the second connection go back to them.
    async with running(house):
        await server.people.says(ANNA, DIRECT, "hello again")
        await watcher.hears(DIRECT, "Second.")
    assert [one.text for one in server.world.ledger if one.method == "chat.postMessage"] == ["First.", "Second."]
    assert model.asked == 2


async def test_what_was_said_during_an_outage_is_answered_in_order_once(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("answer 0"))
    async with running(house):
        await server.people.says(ANNA, DIRECT, "first")
        await watcher.hears(DIRECT, "answer 0")
    model.then(*(says(f"answer {number}") for number in (1, 2, 3)))
    (first, *_) = [await server.people.says(ANNA, DIRECT, f"missed {number}") for number in (1, 2, 3)]
    server.sockets.forget()
    async with running(house):
        await watcher.hears(DIRECT, "answer 3")
        # What Slack hands out again after all was read back already.
        again = server.world.conversations[DIRECT].messages[first] | {"channel": DIRECT, "channel_type": "im"}
        pending = await server.sockets.offer(event_body(again, "EvAgain", server.world.now()))
        await pending.acknowledged()
    assert watcher.says(DIRECT) == ["answer 0", "answer 1", "answer 2", "answer 3"]
    assert [f"missed {n}" in str(model.prompts[n].messages[-1]) for n in (1, 2, 3)] == [True] * 3


async def test_what_was_said_in_a_thread_during_an_outage_is_read_back_too(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("in the thread"), says("still in the thread"))
    async with running(house):
        root = await server.people.says(ANNA, GENERAL, f"<@{BOT}> start a thread")
        await watcher.hears(GENERAL, "in the thread", thread=root)
    await server.people.says(ANNA, GENERAL, f"<@{BOT}> more", thread_ts=root)
    server.sockets.forget()
    async with running(house):
        await watcher.hears(GENERAL, "still in the thread", thread=root)
    assert model.asked == 2


async def test_a_channel_that_the_app_came_to_later_is_new_to_it(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    async with running(house):
        pass
    server.world.conversation("C0LATE0001", ANNA, name="late")
    old(server, "C0LATE0001", 3)
    old(server, "C0LATE0001", 1, user=BOT, subtype="channel_join", text="joined")
    model.then(says("Now I am here."))
    (asked,) = old(server, "C0LATE0001", 1)
    async with running(house):
        await watcher.hears("C0LATE0001", "Now I am here.", thread=asked)
    assert model.asked == 1


async def test_a_connection_that_was_lost_is_made_up_for(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Heard."), says("Read back."))
    async with running(replace(house, more={"sockets": 1})):
        await server.people.says(ANNA, DIRECT, "one")
        await watcher.hears(DIRECT, "Heard.")
        await server.sockets.drop(reason="refresh_requested")
        old(server, DIRECT, 1)
        await watcher.hears(DIRECT, "Read back.")


async def test_one_of_two_sockets_is_enough(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Heard."))
    async with running(house):
        listed = len(server.asked("users.conversations"))
        await server.sockets.open[0].send_json({"type": "disconnect", "reason": "warning"})
        await until(lambda: len(server.asked("apps.connections.open")) >= 4)
        await server.people.says(ANNA, DIRECT, "one")
        await watcher.hears(DIRECT, "Heard.")
        assert len(server.asked("users.conversations")) == listed


@pytest.mark.parametrize("error", ["missing_scope", "channel_not_found"])
async def test_what_cannot_be_read_back_keeps_nobody_from_being_heard(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher, error: str
) -> None:
    async with running(house):
        pass
    server.faults.refuse("conversations.history", error, times=2)
    server.faults.limit("users.conversations", 1)
    model.then(says("Heard."))
    async with running(house):
        await server.people.says(ANNA, DIRECT, "hello")
        await watcher.hears(DIRECT, "Heard.")
