"""Commands, buttons and forms: answered at once, and in words when there are any."""

import asyncio
from dataclasses import replace

import pytest

from core.models.scripted import ScriptedModel, calls, says, waits
from core.tools.ask_user import ask_user
from tests.discord.house import DiscordHouse, Watcher, running
from tests.fakes.discord import DiscordServer
from tests.fakes.discord.interactions import DEFERRED_MESSAGE, DEFERRED_UPDATE
from tests.fakes.discord.refused import Refused
from tests.fakes.waiting import until
from tests.fakes.wire import text_at


async def test_people_are_offered_the_commands_and_setting_them_is_not_repeated(
    house: DiscordHouse, server: DiscordServer
) -> None:
    for _ in range(2):
        async with running(house):
            await until(lambda: bool(server.world.commands))
    names = {text_at(one, "name") for one in server.world.commands[""]}
    assert {"help", "stop", "new", "approve"} <= names
    assert "exit" not in names
    assert len(server.asked("PUT", "/commands")) == 1


async def test_a_commands_answer_is_seen_by_whoever_gave_it_and_by_nobody_else(
    house: DiscordHouse, server: DiscordServer, watcher: Watcher, anna: str, general: str
) -> None:
    async with running(house):
        used = await server.people.answered(await server.people.uses(anna, general, "help"))
        await until(lambda: bool(used.original))
    assert (used.answer, used.private) == (DEFERRED_MESSAGE, True)
    assert not watcher.accepted("create")


async def test_two_commands_at_once_and_a_running_turn_get_each_their_own_answer(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, olga: str
) -> None:
    general = server.world.channel("general")
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("The answer of the turn.")))
    async with running(house):
        await server.people.says(anna, general, f"<@{text_at(server.world.public(anna), 'id')}> think")
        await until(lambda: model.asked == 1)
        first = await server.people.uses(anna, general, "whoami")
        second = await server.people.uses(olga, general, "whoami")
        await until(lambda: bool(first.original and second.original))
        gate.set()
        await watcher.hears(general, "The answer of the turn.")
    places = server.world.places[general].messages
    assert anna in text_at(places[first.original], "content")
    assert olga in text_at(places[second.original], "content")
    assert [one.content for one in watcher.accepted("create")] == ["The answer of the turn."]


async def test_a_command_that_nobody_knows_is_said_to_the_agent_and_answered_in_its_place(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, anna: str, general: str
) -> None:
    model.then(says("Deep indeed."))
    async with running(house):
        used = await server.people.answered(await server.people.uses(anna, general, "examine", text="deep audit"))
        await until(lambda: bool(used.original))
    assert not used.private
    assert text_at(server.world.places[general].messages[used.original], "content") == "Deep indeed."
    assert model.asked == 1


async def test_an_answer_that_comes_after_a_quarter_of_an_hour_is_an_ordinary_message(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    model.then(says("At last."))
    gone = Refused(401, 50027, "Invalid Webhook Token")
    server.faults.refuse("PATCH", "/messages/@original", gone)
    async with running(house):
        used = await server.people.answered(await server.people.uses(anna, general, "examine", text="deep audit"))
        await watcher.hears(general, "At last.")
    assert used.answer == DEFERRED_MESSAGE
    assert [one.content for one in watcher.accepted("create")] == ["At last."]


async def test_an_answer_after_a_restart_is_an_ordinary_message(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    gate = asyncio.Event()
    model.then(waits(gate.wait, says("never")), says("At last."))
    async with running(house):
        await server.people.answered(await server.people.uses(anna, general, "examine", text="deep audit"))
        await until(lambda: model.asked == 1)
    async with running(house):
        await watcher.hears(general, "At last.")
    assert [one.content for one in watcher.accepted("create")] == ["At last."]


async def test_somebody_elses_button_is_answered_in_a_whisper_and_the_card_stays(
    house: DiscordHouse, server: DiscordServer, model: ScriptedModel, watcher: Watcher, anna: str, general: str
) -> None:
    ben = server.world.person("ben")
    model.then(calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]), says("Hall 4."))
    asking = replace(house, tools={"ask_user": ask_user}, people=house.people | {ben})
    async with running(asking):
        await server.people.says(anna, general, f"<@{anna}> deliver it")
        card = await watcher.card(general, "Which hall?")
        token = watcher.buttons(card)["Hall 4"]
        pressed = await server.people.answered(await server.people.presses(ben, general, text_at(card, "id"), token))
        await until(lambda: bool(watcher.accepted("followup")))
        assert pressed.answer == DEFERRED_UPDATE
        assert server.world.places[general].messages[text_at(card, "id")]["components"]
        await server.people.presses(anna, general, text_at(card, "id"), token)
        await watcher.hears(general, "Hall 4.")
    (whisper,) = watcher.accepted("followup")
    assert "This question is for" in whisper.content
    assert whisper.message["flags"] == 64


@pytest.mark.parametrize("token", ["approve:17", "t0", "x" * 100])
async def test_a_token_that_somebody_made_up_does_nothing(
    house: DiscordHouse,
    server: DiscordServer,
    model: ScriptedModel,
    watcher: Watcher,
    anna: str,
    general: str,
    token: str,
) -> None:
    model.then(says("Hello."))
    async with running(house):
        said = await server.people.says(anna, general, f"<@{anna}> hi")
        await watcher.hears(general, "Hello.")
        pressed = await server.people.presses(anna, general, said, token)
        await server.people.answered(pressed)
    assert model.asked == 1
