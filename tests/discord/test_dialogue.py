"""A conversation of twenty gestures with a bot: everywhere and in every way in which people talk on Discord."""

from dataclasses import replace

import pytest

from core.domain.tool import Approval
from core.models.scripted import ScriptedModel, calls, hangs, says
from core.tools.ask_user import ask_user
from core.tools.send_file import send_file
from tests.discord.house import BOT, DiscordHouse, Watcher, running
from tests.fakes.discord import DiscordServer
from tests.fakes.discord.calls import Upload
from tests.fakes.discord.interactions import DEFERRED_MESSAGE, DEFERRED_UPDATE
from tests.fakes.tools import answers
from tests.fakes.waiting import until
from tests.fakes.wire import objects_at, text_at

LONG = "\n".join(f"{n}. This is line {n} of an answer that is too long for one message." for n in range(1, 190))
FORM_OPENS = 9


@pytest.fixture
def equipped(house: DiscordHouse) -> DiscordHouse:
    pay = answers("pay", "paid", replayable=False, approval=Approval.ASK)
    (house.folder / "workspace" / "plan.txt").write_text("the plan")
    return replace(house, tools={"ask_user": ask_user, "send_file": send_file, "pay": pay})


async def test_twenty_gestures_are_each_answered_where_and_how_they_were_made(
    equipped: DiscordHouse, talk: "Talk", server: DiscordServer, model: ScriptedModel, watcher: Watcher
) -> None:
    async with running(equipped):
        await everywhere(talk)
        await commands(talk)
        await questions(talk)
        await approval(talk)
        await files(talk, equipped)
        await at_length(talk)
        await stopping(talk)
    # Said while nobody was connected, in a new thread too.
    model.then(says("Back."), says("Here too."))
    await server.people.says(talk.anna, talk.direct, "are you back?")
    async with running(equipped):
        await watcher.hears(talk.direct, "Back.")
        late = await server.people.opens_thread(talk.anna, talk.general, "late")
        await server.people.says(talk.anna, late, f"<@{BOT}> and here?")
        await watcher.hears(late, "Here too.")
    assert not [one for one in server.world.ledger if one.content.startswith("(possible repeat)")]


async def everywhere(talk: "Talk") -> None:
    """In the channel by mention and by a reply, in a direct message, in a thread and in a post."""
    first = await talk.asks(talk.general, f"<@{BOT}> how many parts?", "Seven parts.")
    answer = await talk.watcher.hears(talk.general, "Seven parts.")
    await talk.asks(talk.general, "and bolts?", "Twelve bolts.", reply_to=text_at(answer, "id"))
    await talk.asks(talk.direct, "are you there?", "I am.")
    await until(lambda: talk.signs(talk.general, first) == {"\u2705"})
    thread = await talk.people.opens_thread(talk.anna, talk.general, "belts")
    await talk.asks(thread, f"<@{BOT}> which belt?", "The long one.")
    forum = talk.server.world.channel("help", forum=True)
    talk.model.then(says("Tighten it."))
    post = await talk.people.posts(talk.anna, forum, "Help", f"<@{BOT}> the belt slips")
    await talk.watcher.hears(post, "Tighten it.")


async def commands(talk: "Talk") -> None:
    """Answered to whoever gave them."""
    used = await talk.people.answered(await talk.people.uses(talk.anna, talk.general, "status"))
    assert (used.answer, used.private) == (DEFERRED_MESSAGE, True)
    await until(lambda: bool(used.original))
    await talk.people.answered(await talk.people.uses(talk.anna, talk.direct, "whoami"))
    await until(lambda: any(talk.anna in one.content for one in talk.watcher.accepted("response")))


async def questions(talk: "Talk") -> None:
    """Answered by a button, by words in a form, by a message."""
    for count, choose in enumerate((talk.presses, talk.writes, talk.types), 1):
        talk.model.then(calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]), says("Noted: 4."))
        await talk.people.says(talk.anna, talk.direct, "deliver the pump")
        card = await talk.watcher.card(talk.direct, "Which hall?")
        await choose(talk.direct, card)
        await talk.watcher.hears(talk.direct, "Noted: 4.", count=count)
        await talk.closed(talk.direct, card)


async def approval(talk: "Talk") -> None:
    """Only the owner gives it."""
    talk.model.then(calls("pay", amount=5), says("It is paid."))
    await talk.people.says(talk.anna, talk.general, f"<@{BOT}> pay Ben 5")
    card = await talk.watcher.card(talk.general, "May I run pay for Anna?")
    once = talk.watcher.buttons(card)["Once"]
    pressed = await talk.people.presses(talk.anna, talk.general, text_at(card, "id"), once)
    assert (await talk.people.answered(pressed)).answer == DEFERRED_UPDATE
    await until(lambda: any("Only an approver" in one.content for one in talk.watcher.accepted("followup")))
    await talk.people.answered(await talk.people.presses(talk.olga, talk.general, text_at(card, "id"), once))
    await talk.watcher.hears(talk.general, "It is paid.")


async def files(talk: "Talk", equipped: DiscordHouse) -> None:
    """One in, one out."""
    talk.model.then(says("I have read it."))
    notes = Upload(name="notes.txt", data=b"bolt list", media_type="text/plain")
    await talk.people.says(talk.anna, talk.direct, "read this", files=[notes])
    await talk.watcher.hears(talk.direct, "I have read it.")
    stored = list((equipped.folder / "workspace" / "uploads" / talk.direct).iterdir())
    assert [one.read_bytes() for one in stored] == [b"bolt list"]
    assert "notes.txt" in str(talk.model.prompts[-1].messages[-1])
    talk.model.then(calls("send_file", path="plan.txt", caption="the plan"), says("Here it is."))
    await talk.people.says(talk.anna, talk.direct, "send me the plan")
    (file,) = objects_at(await talk.watcher.hears(talk.direct, "Here it is."), "attachments")
    assert talk.server.world.files[text_at(file, "id")] == b"the plan"


async def at_length(talk: "Talk") -> None:
    """An answer of twelve thousand characters."""
    before = len(talk.watcher.says(talk.direct))
    await talk.asks(talk.direct, "tell me all", LONG, "189. This is line 189")
    parts = talk.watcher.says(talk.direct)[before:]
    assert max(map(len, parts)) <= 2000
    assert "\n".join(parts).split() == LONG.split()


async def stopping(talk: "Talk") -> None:
    """What runs is stopped; a new conversation; once more."""
    asked = talk.model.asked
    talk.model.then(hangs())
    await talk.people.says(talk.anna, talk.direct, "take your time")
    await until(lambda: talk.model.asked == asked + 1)
    await talk.people.says(talk.anna, talk.direct, "/stop")
    await talk.watcher.hears(talk.direct, "Stopped.")
    await talk.people.says(talk.anna, talk.direct, "/new")
    await talk.watcher.hears(talk.direct, "New conversation.")
    await talk.asks(talk.direct, "hello again", "Hello.")
    talk.model.then(says("Hello, once more."))
    await talk.people.answered(await talk.people.uses(talk.anna, talk.direct, "retry"))
    await talk.watcher.hears(talk.direct, "once more")


class Talk:
    """Anna and Olga, and what they do more than once."""

    def __init__(self, server: DiscordServer, watcher: Watcher, model: ScriptedModel, anna: str, olga: str) -> None:
        self.server = server
        self.people = server.people
        self.watcher = watcher
        self.model = model
        self.anna = anna
        self.olga = olga
        self.direct = server.world.direct(anna)
        self.general = server.world.channel("general")

    async def asks(self, where: str, text: str, answer: str, shown: str = "", *, reply_to: str = "") -> str:
        """Says something and hears the answer of the model."""
        self.model.then(says(answer))
        said = await self.people.says(self.anna, where, text, reply_to=reply_to)
        await self.watcher.hears(where, shown or answer)
        return said

    def signs(self, where: str, message: str) -> set[str]:
        """What stands on a message."""
        found = objects_at(self.server.world.places[where].messages[message], "reactions")
        return {text_at(one, "emoji", "name") for one in found}

    async def presses(self, where: str, card: dict[str, object]) -> None:
        """The second button."""
        button = self.watcher.buttons(card)["Hall 4"]
        pressed = await self.people.answered(await self.people.presses(self.anna, where, text_at(card, "id"), button))
        assert pressed.answer == DEFERRED_UPDATE

    async def writes(self, where: str, card: dict[str, object]) -> None:
        """Opens the form and writes."""
        opened = await self.people.answered(await self.people.presses(self.anna, where, text_at(card, "id"), "write"))
        assert opened.answer == FORM_OPENS
        written = await self.people.writes(self.anna, where, text_at(card, "id"), "write", "Hall 4")
        await self.people.answered(written)

    async def types(self, where: str, card: dict[str, object]) -> None:
        """An ordinary message."""
        await self.people.says(self.anna, where, "Hall 4")

    async def closed(self, where: str, card: dict[str, object]) -> None:
        """Once the card has no buttons any more."""
        await until(lambda: not self.server.world.places[where].messages[text_at(card, "id")]["components"])


@pytest.fixture
def talk(server: DiscordServer, watcher: Watcher, model: ScriptedModel, anna: str, olga: str) -> Talk:
    return Talk(server, watcher, model, anna, olga)
