"""Threads that a message opens, and conversations that stay in one."""

import asyncio
from dataclasses import replace

import pytest

from channels.discord.gateway import hear
from channels.discord.rest import set_addresses
from channels.discord.settings import DiscordSettings
from core.domain.secret import Secret
from core.models.scripted import ScriptedModel, calls, says
from core.tools.send_message import send_message
from tests.contract.discord_rig import Impatient, settings_of
from tests.discord.house import BOT, DiscordHouse, Watcher, running
from tests.fakes.discord import TOKEN, DiscordServer
from tests.fakes.discord.calls import Upload
from tests.fakes.discord.world import GUILD
from tests.fakes.waiting import until
from tests.fakes.wire import Json, text_at


@pytest.fixture
def threading(house: DiscordHouse) -> DiscordHouse:
    return replace(house, more={"auto_thread": True})


async def test_a_mention_opens_one_thread_in_which_all_else_is_said_and_its_first_message_asks_nothing_again(
    threading: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("Seven."), says("And twelve bolts."))
    async with running(threading):
        asked = await server.people.says(anna, general, f"<@{BOT}> count the parts")
        await watcher.hears(asked, "Seven.")
        # As Discord does: the thread says the message once more, as its first one and as a message of its own kind.
        said = server.world.places[general].messages[asked]
        await server.gateway.tell("MESSAGE_CREATE", said | {"channel_id": asked})
        starter: Json = {"id": server.world.next_id(), "type": 21, "content": "", "channel_id": asked}
        reference: Json = {"message_id": asked, "channel_id": general, "guild_id": GUILD}
        await server.gateway.tell("MESSAGE_CREATE", said | starter | {"message_reference": reference})
        await server.people.says(anna, asked, f"<@{BOT}> and the bolts?")
        await watcher.hears(asked, "And twelve bolts.")
    assert watcher.says(general) == []
    assert text_at(server.world.places[asked].data, "name") == "count the parts"
    assert len(server.asked("POST", "/threads")) == 1
    assert model.asked == 2


async def test_what_is_sent_to_the_conversation_itself_is_the_answer_and_stands_there_once(
    threading: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(calls("send_message", text="Hi!"), says("Hi!"))
    async with running(replace(threading, tools={"send_message": send_message({})})):
        asked = await server.people.says(anna, general, f"<@{BOT}> say hi")
        await watcher.hears(asked, "Hi!")
        await until(lambda: model.asked == 2)
    assert watcher.says(asked) == ["Hi!"]


async def test_a_new_post_is_answered_where_that_is_set_however_early_the_answer_comes(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str
) -> None:
    forum = server.world.channel("help", forum=True)
    model.then(says("Tighten it."))
    async with running(replace(house, more={"answer_new_forum_posts": True})):
        post = await server.people.posts(anna, forum, "Belt", "The belt slips")
        await watcher.hears(post, "Tighten it.")
    assert watcher.says(post) == ["Tighten it."]


async def test_a_file_is_fetched_by_its_whole_address_and_only_from_where_discord_keeps_files(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str
) -> None:
    direct = server.world.direct(anna)
    model.then(says("one"), says("two"))
    async with running(house):
        notes = Upload(name="my notes.txt", data=b"bolt list", media_type="text/plain")
        await server.people.says(anna, direct, "read it", files=[notes])
        await watcher.hears(direct, "one")
        foreign: Json = {"id": "91", "filename": "x.txt", "size": 5, "url": "http://127.0.0.1:1/x.txt"}
        told: Json = {"id": server.world.next_id(), "channel_id": direct, "author": server.world.public(anna)}
        await server.gateway.tell("MESSAGE_CREATE", told | {"type": 0, "content": "", "attachments": [foreign]})
        await watcher.hears(direct, "two")
    (stored,) = (house.folder / "workspace" / "uploads" / direct).iterdir()
    assert stored.read_bytes() == b"bolt list"
    assert stored.name.endswith("my notes.txt")
    assert "x.txt" in str(model.prompts[-1].messages[-1])


async def test_a_gateway_that_answers_no_heartbeat_is_left_and_the_session_goes_on() -> None:
    heard: list[str] = []

    async def take(event: str, told: object) -> None:
        heard.append(event)

    async with DiscordServer(interval_ms=500) as server, asyncio.TaskGroup() as group:
        set_addresses(DiscordSettings.model_validate(settings_of(server)))
        hearing = hear(Secret(TOKEN), take, content=True, clock=Impatient(), patience_s=2.0)
        task = group.create_task(hearing)
        await server.gateway.connected()
        server.gateway.acks = False
        await server.gateway.hears(6)
        server.gateway.acks = True
        await until(lambda: "RESUMED" in heard)
        task.cancel()
