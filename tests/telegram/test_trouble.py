"""What goes wrong on the way out, under a whole gateway."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from core.models.scripted import ScriptedModel, says
from tests.fakes.telegram import TelegramServer
from tests.fakes.waiting import until
from tests.telegram.house import ANNA, BEN, FORUM, GROUP, TelegramHouse, Watcher, running

LONG = "\n".join(f"{n}. This is line {n} of an answer that is too long for one message." for n in range(1, 190))


def outbox(house: TelegramHouse) -> list[tuple[str, str]]:
    """State and error of every delivery."""
    with closing(sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT state, coalesce(error, '') FROM outbox ORDER BY id").fetchall()


async def test_markup_that_is_refused_goes_out_as_plain_text_once(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("see https://example.com/a_b_c_d and my_var_name plus a lonely * star"))
    server.faults.refuse("sendMessage", 400, "Bad Request: can't parse entities: Can't find end of the entity")
    async with running(house):
        await server.people.says(ANNA, ANNA, "hello")
        await watcher.hears(ANNA, "a lonely * star")
    assert server.world.shown(ANNA) == ["see https://example.com/a_b_c_d and my_var_name plus a lonely * star"]


async def test_who_blocked_the_bot_gets_nothing_and_the_reason_is_listed(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("to nobody"), says("to Ben"))
    server.faults.refuse("sendMessage", 403, "Forbidden: bot was blocked by the user", chat=str(ANNA))
    async with running(house):
        await server.people.says(ANNA, ANNA, "hello")
        await until(lambda: any(state == "dead" for state, _ in outbox(house)))
        await server.people.says(BEN, BEN, "hello")
        await watcher.hears(BEN, "to Ben")
    (dead,) = [error for state, error in outbox(house) if state == "dead"]
    assert "blocked by the user" in dead
    assert server.world.shown(ANNA) == []


async def test_quiet_in_one_chat_leaves_the_others_alone_and_nothing_is_sent_before_its_end(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("late"), says("at once"), says("later"))
    server.faults.limit("sendMessage", 1_000, chat=str(ANNA))
    async with running(house):
        await server.people.says(ANNA, ANNA, "hello")
        await until(lambda: bool(server.asked("sendMessage")))
        before = [one for one in server.calls if one.args.get("chat_id") == str(ANNA)]
        await server.people.says(BEN, BEN, "hello")
        await watcher.hears(BEN, "at once")
        await server.people.says(ANNA, ANNA, "are you there?")
        await until(lambda: len(model.prompts) == 3)
        assert [one for one in server.calls if one.args.get("chat_id") == str(ANNA)] == before
    assert server.world.shown(ANNA) == []


async def test_a_part_whose_answer_is_lost_stops_none_of_the_others(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says(LONG))
    server.faults.cut("editMessageText", after=True)
    async with running(replace(house, more={"unsure": "placeholder-edit"})):
        await server.people.says(ANNA, ANNA, "tell me all")
        await watcher.hears(ANNA, "189. This is line 189")
        await until(lambda: all(state == "sent" for state, _ in outbox(house)))
    assert "".join("".join(server.world.shown(ANNA)).split()) == "".join(LONG.split())


async def test_an_answer_to_a_topic_that_is_gone_stands_in_the_group(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("The list is ready."))
    async with running(house):
        topic = await server.people.topic(ANNA, FORUM, "Lists")
        del server.world.chats[FORUM].topics[topic]
        await server.people.says(ANNA, FORUM, "@parley_bot list", message_thread_id=topic, is_topic_message=True)
        await watcher.hears(FORUM, "The list is ready.")


async def test_a_group_that_moves_while_it_is_answered_gets_its_answer(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Here I am."), says("Still the same conversation."))
    server.world.group(-4001, "Old", ANNA, kind="group")
    async with running(house):
        await server.people.says(ANNA, -4001, "@parley_bot are you there?")
        await watcher.hears(-4001, "Here I am.")
        await server.people.migrates(-4001, -1009)
        await server.people.says(ANNA, -1009, "@parley_bot and now?")
        await watcher.hears(-1009, "Still the same conversation.")
    assert "Here I am." in str(model.prompts[-1].messages)


async def test_a_wrong_answer_of_a_group_is_never_in_another(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(lambda prompt: says(f"re: {prompt.messages[-1].content[-8:]}"))
    model.then(lambda prompt: says(f"re: {prompt.messages[-1].content[-8:]}"))
    async with running(house):
        await server.people.says(ANNA, GROUP, "@parley_bot in group")
        await server.people.says(ANNA, ANNA, "private!")
        await watcher.hears(GROUP, "re: in group")
        await watcher.hears(ANNA, "re: private!")
    assert (server.world.shown(GROUP), server.world.shown(ANNA)) == (["re: in group"], ["re: private!"])
