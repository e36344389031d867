"""A conversation of twenty turns with a bot: everywhere and in every way in which people talk on Telegram."""

import asyncio
from dataclasses import dataclass, replace

from core.domain.tool import Approval
from core.models.scripted import ScriptedModel, calls, hangs, says, says_slowly, waits
from core.tools.ask_user import ask_user
from core.tools.send_file import send_file
from tests.fakes.telegram import TelegramServer
from tests.fakes.tools import answers
from tests.fakes.waiting import until
from tests.telegram.house import ANNA, BEN, FORUM, GROUP, OLGA, TelegramHouse, Watcher, running

LONG = "\n".join(f"{n}. This is line {n} of an answer that is too long for one message." for n in range(1, 190))
WHICH_HALL = calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Who talks, and what is heard."""

    server: TelegramServer
    model: ScriptedModel
    watcher: Watcher

    async def asks(self, who: int, where: int, words: str, answer: str, **more: object) -> int:
        """One turn. Returns the id of the answer."""
        self.model.then(says(answer))
        await self.server.people.says(who, where, words, **more)
        return await self.watcher.hears(where, answer[-40:])

    @property
    def last(self) -> str:
        """What the model was asked last."""
        return str(self.model.prompts[-1].messages[-1])


async def test_twenty_turns_are_each_answered_where_and_how_they_were_begun(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    (house.folder / "workspace" / "plan.txt").write_text("the plan")
    pay = answers("pay", "paid", replayable=False, approval=Approval.ASK)
    equipped = replace(house, tools={"ask_user": ask_user, "send_file": send_file, "pay": pay})
    talk = Talk(server=server, model=model, watcher=watcher)
    async with running(equipped):
        await everywhere(talk)
        await questions(talk)
        await approval(talk)
        await files(talk, house)
        await at_length(talk)
        await stopping_and_editing(talk)
        await commands(talk)
    await over_a_restart(talk, equipped)
    assert not [one for one in server.world.ledger if "(possible repeat)" in one.text]


async def everywhere(talk: Talk) -> None:
    """Five turns: in private, in the group by mention and by a reply, in a topic, in General."""
    await talk.asks(ANNA, ANNA, "are you there?", "I am.")
    answer = await talk.asks(ANNA, GROUP, "@parley_bot how many parts?", "Seven parts.")
    talk.model.then(says("Twelve bolts."))
    await talk.server.people.replies(BEN, GROUP, answer, "and bolts?")
    await talk.watcher.hears(GROUP, "Twelve bolts.")
    topic = await talk.server.people.topic(ANNA, FORUM, "Pumps")
    there = {"message_thread_id": topic, "is_topic_message": True}
    await talk.asks(ANNA, FORUM, "@parley_bot which pump?", "The blue one.", **there)
    await talk.asks(ANNA, FORUM, "@parley_bot and here?", "General it is.")
    sent = {one.text: one.thread for one in talk.watcher.new_messages()}
    assert (sent["The blue one."], sent["General it is."]) == (topic, None)


async def questions(talk: Talk) -> None:
    """Two turns: answered by a button, which only the person asked may press, and by words."""
    talk.model.then(WHICH_HALL, says("Noted: hall 4."))
    await talk.server.people.says(ANNA, GROUP, "@parley_bot deliver the pump")
    card = await talk.watcher.card(GROUP, "Which hall?")
    await talk.server.people.presses(BEN, GROUP, card, "Hall 3")
    await talk.watcher.alert("This question is for Anna.")
    await talk.server.people.presses(ANNA, GROUP, card, "Hall 4")
    await talk.watcher.hears(GROUP, "Noted: hall 4.")
    assert "Hall 4 (Anna)" in talk.server.world.shown(GROUP)[-2]
    talk.model.then(WHICH_HALL, says("Noted: hall 3."))
    await talk.server.people.says(ANNA, ANNA, "deliver the pump")
    await talk.watcher.card(ANNA, "Which hall?")
    await talk.server.people.says(ANNA, ANNA, "Hall 3")
    await talk.watcher.hears(ANNA, "Noted: hall 3.")


async def approval(talk: Talk) -> None:
    """One turn: only the owner gives it."""
    talk.model.then(calls("pay", amount=5), says("It is paid."))
    await talk.server.people.says(ANNA, GROUP, "@parley_bot pay Ben 5")
    card = await talk.watcher.card(GROUP, "May I run pay for Anna?")
    await talk.server.people.presses(ANNA, GROUP, card, "Once")
    await talk.watcher.alert("Only an approver can decide this.")
    await talk.server.people.presses(OLGA, GROUP, card, "Once")
    await talk.watcher.hears(GROUP, "It is paid.")


async def files(talk: Talk, house: TelegramHouse) -> None:
    """Four turns: an album, a voice message, a document, and a file that comes back."""
    talk.model.then(says("Two photos."))
    for name, caption in (("a.jpg", "before"), ("b.jpg", "after")):
        more = {"media_group_id": "g1", "caption": caption}
        await talk.server.people.sends_file(ANNA, ANNA, name, name.encode(), kind="photo", **more)
    await talk.watcher.hears(ANNA, "Two photos.")
    assert "(1) before\\n(2) after" in talk.last
    talk.model.then(says("I hear you."))
    await talk.server.people.sends_file(ANNA, ANNA, "voice.ogg", b"OggS", kind="voice")
    await talk.watcher.hears(ANNA, "I hear you.")
    assert "voice.ogg" in talk.last
    talk.model.then(says("I have read it."))
    await talk.server.people.sends_file(ANNA, ANNA, "notes.txt", b"bolt list", caption="read this")
    await talk.watcher.hears(ANNA, "I have read it.")
    kept = house.folder / "workspace" / "uploads" / str(ANNA)
    assert sorted(one.read_bytes() for one in kept.iterdir()) == [b"OggS", b"a.jpg", b"b.jpg", b"bolt list"]
    talk.model.then(calls("send_file", path="plan.txt", caption="the plan"), says("Here it is."))
    await talk.server.people.says(ANNA, ANNA, "send me the plan")
    await talk.watcher.hears(ANNA, "Here it is.")
    await talk.watcher.hears(ANNA, "the plan")
    assert [one.data for one in talk.server.world.files.values()][-1] == b"the plan"


async def at_length(talk: Talk) -> None:
    """One turn: an answer of twelve thousand characters."""
    before = len(talk.server.world.shown(ANNA))
    talk.model.then(says(LONG))
    await talk.server.people.says(ANNA, ANNA, "tell me all")
    await talk.watcher.hears(ANNA, "189. This is line 189")
    parts = talk.server.world.shown(ANNA)[before:]
    assert max(len(part) for part in parts) <= 4_096
    assert "".join("".join(parts).split()) == "".join(LONG.split())


async def stopping_and_editing(talk: Talk) -> None:
    """Four turns: one that is stopped, one that waits and is edited, the two around it."""
    talk.model.then(hangs())
    await talk.server.people.says(ANNA, ANNA, "work for ever")
    await until(lambda: "work for ever" in talk.last)
    await talk.server.people.says(ANNA, ANNA, "/stop")
    await talk.watcher.hears(ANNA, "Stopped.")
    gate = asyncio.Event()
    talk.model.then(waits(gate.wait, says("The first.")), says("A hundred bolts."))
    await talk.server.people.says(ANNA, ANNA, "the first")
    await until(lambda: "the first" in talk.last)
    queued = await talk.server.people.says(ANNA, ANNA, "order 10 bolts")
    await talk.server.people.edits(ANNA, ANNA, queued, "order 100 bolts")
    await until(lambda: not talk.server.updates.waiting())
    gate.set()
    await talk.watcher.hears(ANNA, "A hundred bolts.")
    assert "order 100 bolts" in talk.last
    await talk.asks(ANNA, ANNA, "thanks", "You are welcome.")


async def commands(talk: Talk) -> None:
    """Two turns: in private and in the group, with our name behind it."""
    await talk.server.people.says(ANNA, ANNA, "/whoami")
    await talk.watcher.hears(ANNA, str(ANNA))
    await talk.server.people.says(BEN, GROUP, "/whoami@parley_bot")
    await talk.watcher.hears(GROUP, str(BEN))


async def over_a_restart(talk: Talk, house: TelegramHouse) -> None:
    """Two turns: said while nobody listened, and after it."""
    talk.model.then(says("Back again."))
    await talk.server.people.says(ANNA, ANNA, "are you back?")
    async with running(house):
        await talk.watcher.hears(ANNA, "Back again.")
        await talk.asks(BEN, BEN, "hello", "Hello, Ben.")


async def test_a_stranger_a_bot_and_an_anonymous_administrator_start_nothing(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Hello, Anna."))
    server.world.person(66, "Mallory")
    server.world.chats[GROUP].members[66] = "member"
    behind = {"sender_chat": server.world.chats[GROUP].body()}
    async with running(house):
        await server.people.says(66, GROUP, "@parley_bot let me in")
        await server.people.says(OLGA, GROUP, "@parley_bot delete the logs", **behind)
        await server.people.says(ANNA, GROUP, "@parley_bot hello")
        await watcher.hears(GROUP, "Hello, Anna.")
    assert len(model.prompts) == 1


async def test_a_guessed_press_is_told_so_in_a_window_and_does_nothing(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    pay = answers("pay", "paid", replayable=False, approval=Approval.ASK)
    model.then(calls("pay", amount=5))
    async with running(replace(house, tools={"pay": pay})):
        await server.people.says(ANNA, GROUP, "@parley_bot pay Ben 5")
        card = await watcher.card(GROUP, "May I run pay for Anna?")
        for data in ("approve:17", "approve:1", "1", "once"):
            await server.people.calls_back(OLGA, GROUP, card, data)
            await watcher.alert("This question is closed.")
    assert not pay.runs


async def test_an_edit_of_what_is_answered_is_no_command(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    model.then(says("Hello."), says("Still here."))
    async with running(house):
        said = await server.people.says(OLGA, OLGA, "hello")
        await watcher.hears(OLGA, "Hello.")
        for command in ("/new", "/approve 1", "/undo"):
            await server.people.edits(OLGA, OLGA, said, command)
        await server.people.says(OLGA, OLGA, "are you there?")
        await watcher.hears(OLGA, "Still here.")
    assert server.world.shown(OLGA) == ["Hello.", "Still here."]


async def test_an_answer_is_shown_while_it_is_written_in_private_and_not_in_a_group(
    house: TelegramHouse, server: TelegramServer, model: ScriptedModel, watcher: Watcher
) -> None:
    for where in (ANNA, GROUP):
        gate = asyncio.Event()
        model.then(says_slowly("One and", gate.wait, " two."))
        async with running(house):
            await server.people.says(ANNA, where, "@parley_bot count")
            await until(lambda: "count" in str(model.prompts[-1].messages[-1]) if model.prompts else False)
            if where == ANNA:
                await until(lambda: any(one["text"] == "One and" for one in server.asked("sendMessageDraft")))
            gate.set()
            await watcher.hears(where, "One and two.")
    assert {one["chat_id"] for one in server.asked("sendMessageDraft")} == {str(ANNA)}
