"""What was said while nobody listened, and what was said before there was a bot."""

import time
from dataclasses import replace

import pytest

from core.models.scripted import ScriptedModel, says
from tests.discord.house import BOT, DiscordHouse, Watcher, running
from tests.fakes.discord import DiscordServer
from tests.fakes.waiting import until
from tests.fakes.wire import Json, object_at

HOUR_S = 3600


def old(server: DiscordServer, where: str, who: str, count: int) -> None:
    """So many messages that stand there already."""
    place = server.world.places[where]
    for number in range(count):
        message_id = server.world.next_id()
        body: Json = {"id": message_id, "channel_id": where, "author": server.world.public(who), "type": 0}
        body |= {"content": f"<@{BOT}> old {number}", "timestamp": "2026-12-01T00:00:00+00:00", "attachments": []}
        place.messages[message_id] = body | {"mentions": [server.world.public(BOT)], "embeds": []}
        place.data["last_message_id"] = message_id


async def test_ten_thousand_old_messages_at_the_first_connection_send_nothing(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    thread = server.world.thread(general, "older", anna)
    for where in (general, thread):
        old(server, where, anna, 5_000)
    model.then(says("First."), says("Second."))
    async with running(house):
        await server.people.says(anna, general, f"<@{BOT}> hello")
        await watcher.hears(general, "First.")
    # Nor does the second connection go back to them.
    async with running(house):
        await server.people.says(anna, thread, f"<@{BOT}> hello")
        await watcher.hears(thread, "Second.")
    assert [one.content for one in server.world.ledger] == ["First.", "Second."]
    assert model.asked == 2


async def test_a_server_that_the_bot_comes_to_later_is_new_to_it_too(
    house: DiscordHouse, server: DiscordServer, watcher: Watcher, model: ScriptedModel, anna: str
) -> None:
    model.then(says("Hello."))
    async with running(house):
        await until(lambda: bool(server.asked("GET", "/commands")))
        late: Json = {"id": "71", "name": "late", "owner_id": anna, "roles": [], "threads": []}
        room = server.world.channel("late")
        server.world.places[room].data["guild_id"] = "71"
        old(server, room, anna, 20)
        for session in server.gateway.live:
            await session.dispatch("GUILD_CREATE", late | {"channels": [server.world.places[room].data]})
        await server.people.says(anna, server.world.direct(anna), "are you there?")
        await watcher.hears(server.world.direct(anna), "Hello.")
    assert not server.asked("GET", f"/channels/{room}/messages")


async def test_the_last_day_counts_where_that_is_wanted(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("Answered."))
    await server.people.says(anna, general, f"<@{BOT}> before you came")
    async with running(replace(house, start="unread")):
        await watcher.hears(general, "Answered.")


async def test_what_was_said_during_an_outage_is_answered_in_order_once(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("answer 0"))
    direct = server.world.direct(anna)
    async with running(house):
        await server.people.says(anna, direct, "first")
        await watcher.hears(direct, "answer 0")
    for number in (1, 2, 3):
        model.then(says(f"answer {number}"))
        await server.people.says(anna, direct, f"question {number}")
    async with running(house):
        await watcher.hears(direct, "answer 3")
    async with running(house):
        await until(lambda: len(server.asked("GET", f"/channels/{direct}/messages")) >= 2)
    assert watcher.says(direct) == [f"answer {number}" for number in range(4)]
    assert [
        str(one.messages[-1].content).endswith(f"question {n + 1}") for n, one in enumerate(list(model.prompts)[1:])
    ]


async def test_a_thread_that_went_to_sleep_with_a_question_in_it_is_found(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    old(server, general, anna, 1)
    async with running(house):
        pass
    server.world.now = lambda: time.time() + HOUR_S
    thread = await server.people.opens_thread(anna, general, "quiet")
    await server.people.says(anna, thread, f"<@{BOT}> anybody?")
    object_at(server.world.places[thread].data, "thread_metadata")["archived"] = True
    model.then(says("Me."))
    async with running(replace(house, ahead=3 * HOUR_S * 1000)):
        await watcher.hears(thread, "Me.")


async def test_a_press_is_answered_in_time_while_much_is_read_back(
    house: DiscordHouse, server: DiscordServer, watcher: Watcher, anna: str, general: str
) -> None:
    async with running(house):
        await until(lambda: bool(server.asked("GET", "/commands")))
    old(server, general, anna, 3_000)
    async with running(replace(house, people=frozenset())):
        used = await server.people.answered(await server.people.uses(anna, general, "help"))
        assert used.answer


async def test_a_session_that_is_gone_is_begun_anew_and_heartbeats_without_answer_end_a_connection(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str
) -> None:
    direct = server.world.direct(anna)
    model.then(says("one"), says("two"))
    async with running(house):
        await server.people.says(anna, direct, "a")
        await watcher.hears(direct, "one")
        await server.gateway.invalidate(resumable=False)
        await server.people.says(anna, direct, "b")
        await watcher.hears(direct, "two")
        assert [one["op"] for one in server.gateway.heard].count(2) == 2


@pytest.mark.parametrize(
    "event", ["MESSAGE_CREATE", "INTERACTION_CREATE", "GUILD_CREATE", "THREAD_CREATE", "UNHEARD_OF"]
)
async def test_a_dispatch_that_nobody_can_read_stops_nothing(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, event: str
) -> None:
    model.then(says("Still here."))
    async with running(house):
        await until(lambda: bool(server.asked("GET", "/commands")))
        odd: Json = {"id": "x", "author": 7, "guild_id": [], "channels": [3], "threads": {}}
        for broken in (odd, odd | {"id": {}}, odd | {"id": "5", "channel_id": "6"}):
            await server.gateway.live[0].dispatch(event, broken)
        await server.people.says(anna, server.world.direct(anna), "are you there?")
        await watcher.hears(server.world.direct(anna), "Still here.")
    assert [one["op"] for one in server.gateway.heard].count(2) == 1
