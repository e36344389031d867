"""A conversation of twenty gestures with a bot: everywhere and in every way in which people talk on Discord."""

import asyncio
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
    equipped: DiscordHouse,
    server: DiscordServer,
    model: ScriptedModel,
    watcher: Watcher,
    anna: str,
    olga: str,
    general: str,
) -> None:
    people, world = server.people, server.world
    direct, forum = world.direct(anna), world.channel("help", forum=True)
    talk = Talk(server, watcher, model, anna)
    async with running(equipped):
        # In the channel, by mention and by a reply; in a direct message.
        first = await talk.asks(general, f"<@{BOT}> how many parts?", "Seven parts.")
        answer = await watcher.hears(general, "Seven parts.")
        await talk.asks(general, "and bolts?", "Twelve bolts.", reply_to=text_at(answer, "id"))
        await talk.asks(direct, "are you there?", "I am.")
        await until(lambda: talk.signs(general, first) == {"\u2705"})

        # In a thread and in a post.
        thread = await people.opens_thread(anna, general, "belts")
        await talk.asks(thread, f"<@{BOT}> which belt?", "The long one.")
        model.then(says("Tighten it."))
        post = await people.posts(anna, forum, "Help", f"<@{BOT}> the belt slips")
        await watcher.hears(post, "Tighten it.")

        # Commands are answered to whoever gave them.
        used = await people.answered(await people.uses(anna, general, "status"))
        assert used.answer == DEFERRED_MESSAGE
        await until(lambda: bool(used.original))
        await people.answered(await people.uses(anna, direct, "whoami"))
        await until(lambda: any(anna in one.content for one in watcher.accepted("response")))

        # Questions: by a button, by words in a form, by a message.
        for choose in (talk.presses, talk.writes, talk.types):
            model.then(calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]), says("Noted: 4."))
            await people.says(anna, direct, "deliver the pump")
            card = await watcher.card(direct, "Which hall?")
            await choose(direct, card)
            await watcher.hears(direct, "Noted: 4.", count=talk.rounds())
            await talk.closed(direct, card)

        # An approval that only the owner gives.
        model.then(calls("pay", amount=5), says("It is paid."))
        await people.says(anna, general, f"<@{BOT}> pay Ben 5")
        card = await watcher.card(general, "May I run pay for Anna?")
        once = watcher.buttons(card)["Once"]
        pressed = await people.answered(await people.presses(anna, general, text_at(card, "id"), once))
        assert pressed.answer == DEFERRED_UPDATE
        await until(lambda: any("Only an approver" in one.content for one in watcher.accepted("followup")))
        await people.answered(await people.presses(olga, general, text_at(card, "id"), once))
        await watcher.hears(general, "It is paid.")

        # A file in, a file out, and an answer of twelve thousand characters.
        model.then(says("I have read it."))
        await people.says(anna, direct, "read this", files=[_notes()])
        await watcher.hears(direct, "I have read it.")
        stored = list((equipped.folder / "workspace" / "uploads" / direct).iterdir())
        assert [one.read_bytes() for one in stored] == [b"bolt list"]
        assert "notes.txt" in str(model.prompts[-1].messages[-1])
        model.then(calls("send_file", path="plan.txt", caption="the plan"), says("Here it is."))
        await people.says(anna, direct, "send me the plan")
        (file,) = objects_at(await watcher.hears(direct, "Here it is."), "attachments")
        assert world.files[text_at(file, "id")] == b"the plan"
        before = len(watcher.says(direct))
        await talk.asks(direct, "tell me all", LONG, "189. This is line 189")
        parts = watcher.says(direct)[before:]
        assert max(map(len, parts)) <= 2000
        assert "\n".join(parts).split() == LONG.split()

        # Stopping what runs, starting anew, and once more.
        model.then(hangs())
        await people.says(anna, direct, "take your time")
        await until(lambda: model.asked == talk.asked() + 1)
        await people.says(anna, direct, "/stop")
        await watcher.hears(direct, "Stopped.")
        await people.says(anna, direct, "/new")
        await watcher.hears(direct, "New conversation.")
        await talk.asks(direct, "hello again", "Hello.")
        model.then(says("Hello, once more."))
        await people.answered(await people.uses(anna, direct, "retry"))
        await watcher.hears(direct, "once more")

    # Said while nobody was connected, in a new thread too.
    model.then(says("Back."), says("Here too."))
    await people.says(anna, direct, "are you back?")
    async with running(equipped):
        await watcher.hears(direct, "Back.")
        late = await people.opens_thread(anna, general, "late")
        await people.says(anna, late, f"<@{BOT}> and here?")
        await watcher.hears(late, "Here too.")
    assert not [one for one in world.ledger if one.nonce and one.content.startswith("(possible repeat)")]


def _notes() -> Upload:
    return Upload(name="notes.txt", data=b"bolt list", media_type="text/plain")


class Talk:
    """Anna, and what she does more than once."""

    def __init__(self, server: DiscordServer, watcher: Watcher, model: ScriptedModel, anna: str) -> None:
        self._server = server
        self._watcher = watcher
        self._model = model
        self._anna = anna
        self._rounds = 0
        self._asked = 0

    async def asks(self, where: str, text: str, answer: str, shown: str = "", *, reply_to: str = "") -> str:
        """Says something and hears the answer of the model."""
        self._model.then(says(answer))
        said = await self._server.people.says(self._anna, where, text, reply_to=reply_to)
        await self._watcher.hears(where, shown or answer)
        return said

    def asked(self) -> int:
        """How often the model was asked when this was called first."""
        self._asked = self._asked or self._model.asked
        return self._asked

    def rounds(self) -> int:
        """Counts up."""
        self._rounds += 1
        return self._rounds

    def signs(self, where: str, message: str) -> set[str]:
        """What stands on a message."""
        found = objects_at(self._server.world.places[where].messages[message], "reactions")
        return {text_at(one, "emoji", "name") for one in found}

    async def presses(self, where: str, card: dict[str, object]) -> None:
        """The second button."""
        button = self._watcher.buttons(card)["Hall 4"]
        pressed = await self._server.people.presses(self._anna, where, text_at(card, "id"), button)
        await self._server.people.answered(pressed)
        assert pressed.answer == DEFERRED_UPDATE

    async def writes(self, where: str, card: dict[str, object]) -> None:
        """Opens the form and writes."""
        opened = await self._server.people.presses(self._anna, where, text_at(card, "id"), "write")
        await self._server.people.answered(opened)
        assert opened.answer == FORM_OPENS
        written = await self._server.people.writes(self._anna, where, text_at(card, "id"), "write", "Hall 4")
        await self._server.people.answered(written)

    async def closed(self, where: str, card: dict[str, object]) -> None:
        """Once the card has no buttons any more."""
        await until(lambda: not self._server.world.places[where].messages[text_at(card, "id")]["components"])

    async def types(self, where: str, card: dict[str, object]) -> None:
        """An ordinary message."""
        await asyncio.sleep(0)
        await self._server.people.says(self._anna, where, "Hall 4")
