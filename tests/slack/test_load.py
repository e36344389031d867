"""Many at once."""

from dataclasses import replace

from core.models.scripted import ScriptedModel, says
from tests.fakes.slack import BOT, SlackServer
from tests.fakes.slack.events import event_body
from tests.fakes.waiting import until
from tests.fakes.wire import Json
from tests.slack.conftest import ANNA, CARL, DIRECT, GENERAL
from tests.slack.house import SlackHouse, Watcher, running

BURST = 500
PLACES = 50


async def test_a_burst_of_five_hundred_events_is_acknowledged_in_time_and_none_is_lost(
    house: SlackHouse, server: SlackServer
) -> None:
    """By somebody who is not let in, so that it is about taking events in and about nothing else."""
    async with running(house):
        pendings = []
        for number in range(BURST):
            ts = server.world.next_ts()
            message: Json = {"type": "message", "user": CARL, "text": f"<@{BOT}> {number}", "ts": ts}
            message |= {"event_ts": ts, "channel": GENERAL, "channel_type": "channel"}
            pendings.append(await server.sockets.offer(event_body(message, f"Ev{number}", server.world.now())))
        for pending in pendings:
            await pending.acknowledged()
    assert len(house.rows("SELECT 1 FROM inbound WHERE sender = ?", CARL)) == BURST
    # None had to come again: each was acknowledged within the three seconds of this Slack.
    assert [pending.attempt for pending in pendings] == [0] * BURST


async def test_a_channel_that_is_told_to_wait_delays_no_other(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    direct = [server.world.conversation(f"D0MANY{n:04}", ANNA, kind="im") for n in range(PLACES)]
    model.then(*(says("Answered.") for _ in direct))
    server.faults.limit("chat.postMessage", 30, channel=direct[0])
    async with running(house):
        for channel in direct:
            await server.people.says(ANNA, channel, "hello")
        for channel in direct[1:]:
            await watcher.hears(channel, "Answered.")
        assert not watcher.says(direct[0])
        assert len([one for one in server.asked("chat.postMessage") if one["channel"] == direct[0]]) == 1


async def test_what_slack_asks_to_wait_for_is_sent_after_that(
    house: SlackHouse, server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Answered."))
    server.faults.limit("chat.postMessage", 1)
    async with running(replace(house, more={"sockets": 1})):
        await server.people.says(ANNA, DIRECT, "hello")
        await watcher.hears(DIRECT, "Answered.")
    await until(lambda: len(server.asked("chat.postMessage")) == 2)
