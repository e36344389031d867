"""The fake Discord is spoken to by the real discord.py."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.fakes.discord import BOT, TOKEN, DiscordServer
from tests.fakes.discord.calls import Upload
from tests.fakes.discord.interactions import DEFERRED_MESSAGE, FIRST_ANSWER_S, TOKEN_S
from tests.fakes.discord.refused import rate_limited
from tests.fakes.discord.world import NONCE_WINDOW_S
from tests.fakes.waiting import until


class Clock:
    """A time that only the test moves."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def __call__(self) -> float:
        return self.at


class App(discord.Client):
    """Writes down what the library tells it."""

    def __init__(self, intents: discord.Intents, patience_s: float) -> None:
        # READY waits two seconds for guilds that never come; the heartbeat's patience has to outlast IDENTIFY's delay.
        super().__init__(
            intents=intents,
            max_messages=None,
            chunk_guilds_at_startup=False,
            heartbeat_timeout=patience_s,
            guild_ready_timeout=0.01,
        )
        self.seen: list[str] = []
        self.pressed: list[discord.Interaction] = []

    async def on_message(self, message: discord.Message) -> None:
        """Words, who said them and where."""
        self.seen.append(message.content)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Kept, and answered by the test."""
        self.pressed.append(interaction)


def wanted(*, content: bool = True) -> discord.Intents:
    intents = discord.Intents.none()
    intents.guilds = intents.guild_messages = intents.dm_messages = True
    intents.message_content = content
    return intents


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Puts the library's addresses back after the test."""
    return monkeypatch


@asynccontextmanager
async def running(
    server: DiscordServer, at: pytest.MonkeyPatch, intents: discord.Intents, patience_s: float = 8
) -> AsyncIterator[App]:
    at.setattr(Route, "BASE", server.api_url)
    at.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(server.gateway_url))
    async with App(intents, patience_s) as app, asyncio.TaskGroup() as group:
        task = group.create_task(app.start(TOKEN))
        await server.gateway.connected()
        await until(app.is_ready)
        try:
            yield app
        finally:
            await app.close()
            task.cancel()


@asynccontextmanager
async def over_rest(server: DiscordServer, at: pytest.MonkeyPatch) -> AsyncIterator[discord.Client]:
    """Only REST, no gateway."""
    at.setattr(Route, "BASE", server.api_url)
    async with discord.Client(intents=wanted()) as client:
        await client.login(TOKEN)
        yield client


def written(place: object) -> discord.TextChannel | discord.Thread:
    assert isinstance(place, discord.TextChannel | discord.Thread)
    return place


@pytest.mark.parametrize("compressed", [False, True])
async def test_people_are_heard_in_channels_threads_forum_posts_and_dms(
    at: pytest.MonkeyPatch, compressed: bool
) -> None:
    async with DiscordServer(compressed=compressed) as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        forum = server.world.channel("help", forum=True)
        async with running(server, at, wanted()) as app:
            await server.people.says(anna, general, "one")
            thread = await server.people.opens_thread(anna, general, "a thread")
            await server.people.says(
                anna, thread, "two", files=[Upload(name="a.txt", data=b"a", media_type="text/plain")]
            )
            await server.people.posts(anna, forum, "help me", "three")
            await server.people.says(anna, server.world.direct(anna), "four")
            await until(lambda: len(app.seen) == 4)
            assert app.seen == ["one", "two", "three", "four"]


async def test_a_message_goes_out_once_under_its_nonce_for_some_minutes(at: pytest.MonkeyPatch) -> None:
    clock = Clock()
    async with DiscordServer(now=clock) as server, over_rest(server, at) as client:
        general = written(await client.fetch_channel(int(server.world.channel("general"))))
        first = await general.send("hello", nonce="n1")
        clock.at += NONCE_WINDOW_S - 1
        assert (await general.send("hello again", nonce="n1")).id == first.id
        clock.at += 2
        assert (await general.send("hello again", nonce="n1")).id != first.id
        assert [one.content for one in server.world.ledger] == ["hello", "hello again"]


async def test_history_comes_in_pages_from_both_ends(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        anna, general = server.world.person("anna"), server.world.channel("general")
        ids = [int(await server.people.says(anna, general, f"message {number}")) for number in range(250)]
        place = written(await client.fetch_channel(int(general)))
        after = [one.id async for one in place.history(limit=None, after=discord.Object(ids[9]))]
        before = [one.id async for one in place.history(limit=3, before=discord.Object(ids[9]))]
        around = [one.id async for one in place.history(limit=5, around=discord.Object(ids[9]))]
        assert (after, before, sorted(around)) == (ids[10:], ids[8:5:-1], ids[7:12])
        with pytest.raises(discord.HTTPException) as raised:
            await client.http.logs_from(int(general), 101)
        assert raised.value.code == 50035


async def test_what_cannot_be_done_is_refused_by_its_code(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        anna, general = server.world.person("anna"), server.world.channel("general")
        quiet, hidden = server.world.channel("quiet"), server.world.channel("hidden")
        server.world.places[quiet].denied.add("send")
        server.world.users[anna]["dms"] = False
        place = written(await client.fetch_channel(int(general)))
        dm = await (await client.fetch_user(int(anna))).create_dm()
        theirs = await place.fetch_message(int(await server.people.says(anna, general, "mine")))
        refused = {
            place.send("x" * 2001): 50035,
            place.send("x", nonce="n" * 26): 50035,
            place.send(""): 50006,
            dm.send("x"): 50007,
            written(await client.fetch_channel(int(quiet))).send("x"): 50013,
            place.fetch_message(1): 10008,
            client.fetch_channel(1): 10003,
            theirs.edit(content="x"): 50005,
            theirs.delete(): 50013,
        }
        for call, code in refused.items():
            with pytest.raises(discord.HTTPException) as raised:
                await call
            assert raised.value.code == code
        server.world.places[hidden].denied.add("view")
        with pytest.raises(discord.Forbidden) as forbidden:
            await client.fetch_channel(int(hidden))
        assert forbidden.value.code == 50001
        assert not server.world.ledger


async def test_files_signs_changes_and_deletes_arrive(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        general = server.world.channel("general")
        place = written(await client.fetch_channel(int(general)))
        async with place.typing():
            sent = await place.send("look", file=discord.File(__file__, filename="a.py"))
        await sent.add_reaction("👀")
        assert [one.emoji for one in (await place.fetch_message(sent.id)).reactions] == ["👀"]
        await sent.remove_reaction("👀", discord.Object(int(BOT)))
        await sent.edit(content="seen")
        async with aiohttp.ClientSession() as session, session.get(sent.attachments[0].url) as response:
            assert (await response.read()).startswith(b'"""The fake Discord')
        stands = await place.fetch_message(sent.id)
        assert (stands.content, stands.reactions, len(stands.attachments)) == ("seen", [], 1)
        await sent.delete()
        assert [one.what for one in server.world.ledger] == ["create", "edit", "delete"]


async def test_a_rate_limit_is_said_in_headers_before_it_is_met_and_by_429_after(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        general = server.world.channel("general")
        server.faults.pace("POST", "/channels/{channel}/messages", limit=2, within=0.2)
        place = written(await client.fetch_channel(int(general)))
        for number in range(4):
            await place.send(f"{number}")
        assert [one.status for one in server.asked("POST", "/messages")] == [200] * 4
        server.faults.refuse("POST", "/messages", rate_limited(0.05))
        await place.send("late")
        assert [one.status for one in server.asked("POST", "/messages")][4:] == [429, 200]
        assert len(server.world.ledger) == 5


@pytest.mark.parametrize(("after", "accepted"), [(False, 0), (True, 1)])
async def test_a_connection_that_is_cut_leaves_it_open_what_was_done(
    at: pytest.MonkeyPatch, after: bool, accepted: int
) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        place = written(await client.fetch_channel(int(server.world.channel("general"))))
        server.faults.cut("POST", "/messages", after=after)
        with pytest.raises(aiohttp.ClientError):
            await place.send("hello", nonce="n1")
        assert len(server.world.ledger) == accepted
        await place.send("hello", nonce="n1")
        assert len(server.world.ledger) == 1


@pytest.mark.parametrize("how", ["op 7", "close 4000", "abort", "op 9 true"])
async def test_what_was_missed_is_replayed_when_the_session_resumes(at: pytest.MonkeyPatch, how: str) -> None:
    async with DiscordServer() as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted()) as app:
            await server.people.says(anna, general, "before")
            await until(lambda: app.seen == ["before"])
            if how == "op 7":
                await server.gateway.reconnect()
            elif how == "op 9 true":
                await server.gateway.invalidate(resumable=True)
            else:
                await server.gateway.cut(4000 if how == "close 4000" else 0)
            await server.people.says(anna, general, "meanwhile")
            await server.gateway.hears(6)
            await until(lambda: app.seen == ["before", "meanwhile"])


async def test_a_session_that_is_gone_begins_anew_and_what_happened_meanwhile_is_only_in_the_history(
    at: pytest.MonkeyPatch,
) -> None:
    async with DiscordServer() as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted()) as app:
            await server.gateway.cut(resumable=False)
            await server.people.says(anna, general, "meanwhile")
            await server.gateway.hears(2, 2)
            await server.gateway.connected()
            await server.people.says(anna, general, "after")
            await until(lambda: app.seen == ["after"])


async def test_heartbeats_that_nobody_answers_end_the_connection(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer(interval_ms=200) as server, running(server, at, wanted(), 1):
        server.gateway.acks = False
        await server.gateway.hears(6)


async def test_without_the_right_to_content_a_guild_shows_none_and_asking_for_it_ends_the_connection(
    at: pytest.MonkeyPatch,
) -> None:
    async with DiscordServer() as server:
        server.world.content_intent = False
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted(content=False)) as app:
            await server.people.says(anna, general, "hidden")
            await server.people.says(anna, general, f"<@{BOT}> shown")
            await server.people.says(anna, server.world.direct(anna), "direct")
            await until(lambda: len(app.seen) == 3)
            assert app.seen == ["", f"<@{BOT}> shown", "direct"]
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with discord.Client(intents=wanted()) as asking:
                await asking.start(TOKEN)


async def test_a_wrong_token_is_refused_by_rest_and_by_the_gateway() -> None:
    async with DiscordServer() as server, aiohttp.ClientSession() as session:
        async with session.get(f"{server.api_url}/users/@me", headers={"Authorization": "Bot another"}) as response:
            assert response.status == 401
        async with session.ws_connect(server.gateway_url) as socket:
            assert (await socket.receive_json())["op"] == 10
            await socket.send_json({"op": 2, "d": {"token": "another", "intents": 0}})
            assert (await socket.receive()).data == 4004
        assert server.faults.banned == 1


async def test_a_button_is_answered_in_time_and_followed_up_for_a_quarter_of_an_hour(at: pytest.MonkeyPatch) -> None:
    clock = Clock()
    async with DiscordServer(now=clock) as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted()) as app:
            view = discord.ui.View()
            view.add_item(discord.ui.Button(label="Yes", custom_id="t1"))
            card = await written(app.get_channel(int(general))).send("Which?", view=view)
            pressed = await server.people.presses(anna, general, str(card.id), "t1")
            await until(lambda: len(app.pressed) == 1)
            interaction = app.pressed[0]
            assert (interaction.user.id, interaction.data and interaction.data.get("custom_id")) == (int(anna), "t1")
            await interaction.response.edit_message(content="Yes it is", view=None)
            assert (await server.people.answered(pressed)).original == str(card.id)
            assert server.world.shown(general)[0]["content"] == "Yes it is"
            await interaction.followup.send("thanks")
            clock.at += TOKEN_S + 1
            with pytest.raises(discord.HTTPException) as raised:
                await interaction.followup.send("late")
            assert raised.value.code == 50027


async def test_a_command_that_was_deferred_gets_its_answer_by_the_first_edit(at: pytest.MonkeyPatch) -> None:
    clock = Clock()
    async with DiscordServer(now=clock) as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted()) as app:
            await app.http.bulk_upsert_global_commands(int(BOT), [{"name": "status", "description": "how it stands"}])
            used = await server.people.uses(anna, general, "status", verbose=1)
            await until(lambda: len(app.pressed) == 1)
            await app.pressed[0].response.defer(thinking=True)
            assert (await server.people.answered(used)).answer == DEFERRED_MESSAGE
            await app.pressed[0].edit_original_response(content="well")
            assert [(one.what, one.content) for one in server.world.ledger] == [("response", "well")]
            with pytest.raises(discord.InteractionResponded):
                await app.pressed[0].response.defer()
            await server.people.uses(anna, general, "status")
            await until(lambda: len(app.pressed) == 2)
            clock.at += FIRST_ANSWER_S + 1
            with pytest.raises(discord.NotFound) as raised:
                await app.pressed[1].response.defer()
            assert raised.value.code == 10062


async def test_command_lists_are_replaced_whole_and_checked(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server, over_rest(server, at) as client:
        for name in ("one", "two"):
            await client.http.bulk_upsert_global_commands(int(BOT), [{"name": name, "description": "a word"}])
        assert [one["name"] for one in server.world.commands[""]] == ["two"]
        with pytest.raises(discord.HTTPException):
            await client.http.bulk_upsert_global_commands(int(BOT), [{"name": "No", "description": "a word"}])


async def test_events_of_changes_deletes_and_webhooks_come_raw(at: pytest.MonkeyPatch) -> None:
    async with DiscordServer() as server:
        anna, general = server.world.person("anna"), server.world.channel("general")
        async with running(server, at, wanted()) as app:
            said = await server.people.says(anna, general, "before")
            await server.people.edits(general, said, "after")
            await server.people.says(anna, general, "spoofed", webhook="9")
            await server.people.deletes(general, said)
            await until(lambda: app.seen == ["before", "spoofed"])
            kinds = [one["t"] for session in server.gateway.live for one in session.frames]
            assert kinds[2:] == ["MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_CREATE", "MESSAGE_DELETE"]
            with suppress(discord.NotFound):
                await written(app.get_channel(int(general))).fetch_message(int(said))
                pytest.fail("it still stands")
