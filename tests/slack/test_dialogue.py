"""A conversation of twenty gestures with an app, by sockets and by posts."""

from dataclasses import replace

import pytest

from core.domain.tool import Approval
from core.models.scripted import ScriptedModel, calls, hangs, says
from core.ports import Tool
from core.tools.ask_user import ask_user
from core.tools.send_file import send_file
from tests.fakes.slack import BOT, SlackServer
from tests.fakes.tools import answers
from tests.fakes.waiting import until
from tests.fakes.wire import objects_at, text_at
from tests.slack.conftest import ANNA, DIRECT, GENERAL, OLGA
from tests.slack.house import SlackHouse, Watcher, running

TABLE = "| part | left |\n|---|---|\n| bolt | 12 |\n\n```python\nprint('x')\n```\n\n"
LONG = TABLE + "\n".join(f"{n}. This is line {n} of an answer that is too long for one message." for n in range(1, 190))


@pytest.fixture(params=["socket", "http"])
def equipped(request: pytest.FixtureRequest, house: SlackHouse) -> SlackHouse:
    pay = answers("pay", "paid", replayable=False, approval=Approval.ASK)
    (house.folder / "workspace" / "plan.txt").write_text("the plan")
    tools: dict[str, Tool] = {"ask_user": ask_user, "send_file": send_file, "pay": pay}
    return replace(house, tools=tools, more={"mode": request.param})


async def test_twenty_gestures_are_each_answered_where_and_how_they_were_made(
    equipped: SlackHouse, talk: "Talk", server: SlackServer, model: ScriptedModel, watcher: Watcher
) -> None:
    async with running(equipped):
        await everywhere(talk)
        await commands(talk)
        await questions(talk)
        await approval(talk)
        await files(talk, equipped)
        await edits(talk)
        await at_length(talk)
        await stopping(talk)
    # Said while nobody was connected; what came by HTTP was tried four times and given up.
    server.signed = None
    server.sockets.forget()
    model.then(says("Back."))
    await server.people.says(ANNA, DIRECT, "are you back?")
    server.sockets.forget()
    async with running(equipped):
        await watcher.hears(DIRECT, "Back.")
    assert not [one for one in server.world.ledger if one.text.startswith("(possible repeat)")]
    keys = [text_at(one, "metadata", "event_payload", "key") for one in watcher.accepted("chat.postMessage")]
    assert len(keys) == len(set(keys))


async def everywhere(talk: "Talk") -> None:
    """In the channel by mention, on in its thread by mention, in a direct message, and in a thread there."""
    root = await talk.asks(GENERAL, f"<@{BOT}> how many parts?", "Seven parts.", opens=True)
    await until(lambda: talk.server.world.reactions(GENERAL, root) == {"white_check_mark"})
    await talk.asks(GENERAL, f"<@{BOT}> and bolts?", "Twelve bolts.", thread=root)
    direct = await talk.asks(DIRECT, "are you there?", "I am.")
    await talk.asks(DIRECT, "and here?", "Here too.", thread=direct)
    (status, *_) = talk.watcher.accepted("assistant.threads.setStatus")
    assert status["thread_ts"] == direct


async def commands(talk: "Talk") -> None:
    """By slash, seen by nobody else; and written out."""
    await talk.people.commands(ANNA, GENERAL, "/parley", "whoami")
    await until(lambda: any(ANNA in text_at(one, "text") for one in talk.watcher.accepted("chat.postEphemeral")))
    await talk.people.says(ANNA, DIRECT, "!whoami")
    await talk.watcher.hears(DIRECT, ANNA)


async def questions(talk: "Talk") -> None:
    """Answered by a button, and by words."""
    talk.model.then(calls("ask_user", question="Which hall?", choices=["Hall 3", "Hall 4"]), says("Noted: 4."))
    await talk.people.says(ANNA, DIRECT, "deliver the pump")
    card = await talk.watcher.card(DIRECT, "Which hall?")
    await talk.people.presses(ANNA, DIRECT, text_at(card, "ts"), talk.watcher.buttons(card)["Hall 4"])
    await talk.watcher.hears(DIRECT, "Noted: 4.")
    await talk.closed(DIRECT, text_at(card, "ts"))
    talk.model.then(calls("ask_user", question="Which day?", choices=[]), says("On Monday."))
    await talk.people.says(ANNA, DIRECT, "and when?")
    await talk.watcher.hears(DIRECT, "Which day?")
    await talk.people.says(ANNA, DIRECT, "Monday")
    await talk.watcher.hears(DIRECT, "On Monday.")


async def approval(talk: "Talk") -> None:
    """Only the owner gives it; who may not is told so alone."""
    talk.model.then(calls("pay", amount=5), says("It is paid."))
    root = await talk.people.says(ANNA, GENERAL, f"<@{BOT}> pay Ben 5")
    card = await talk.watcher.card(GENERAL, "May I run pay for anna?", thread=root)
    once, ts = talk.watcher.buttons(card)["Once"], text_at(card, "ts")
    await talk.people.presses(ANNA, GENERAL, ts, once)
    ephemeral = talk.watcher.accepted
    await until(lambda: any("Only an approver" in text_at(one, "text") for one in ephemeral("chat.postEphemeral")))
    await talk.people.presses(OLGA, GENERAL, ts, once)
    await talk.watcher.hears(GENERAL, "It is paid.", thread=root)


async def files(talk: "Talk", equipped: SlackHouse) -> None:
    """One in, one out."""
    talk.model.then(says("I have read it."))
    await talk.people.uploads(ANNA, DIRECT, "notes.txt", b"bolt list", "read this")
    await talk.watcher.hears(DIRECT, "I have read it.")
    (stored,) = (equipped.folder / "workspace" / "uploads" / DIRECT).iterdir()
    assert stored.read_bytes() == b"bolt list"
    assert "notes.txt" in str(talk.model.prompts[-1].messages[-1])
    talk.model.then(calls("send_file", path="plan.txt", caption="the plan"), says("Here it is."))
    await talk.people.says(ANNA, DIRECT, "send me the plan")
    await talk.watcher.hears(DIRECT, "Here it is.")
    await until(lambda: bool(talk.watcher.accepted("files.completeUploadExternal")))
    (sent,) = talk.watcher.accepted("files.completeUploadExternal")
    (file,) = objects_at(sent, "files")
    assert talk.server.world.files[text_at(file, "id")].data == b"the plan"


async def edits(talk: "Talk") -> None:
    """A message that waits is replaced; a preview that Slack adds is none."""
    talk.model.then(hangs())
    asked = talk.model.asked
    running_one = await talk.people.says(ANNA, DIRECT, "take your time")
    await until(lambda: talk.model.asked == asked + 1)
    waiting = await talk.people.says(ANNA, DIRECT, "count the nutz")
    await talk.people.edits(ANNA, DIRECT, waiting, "count the nuts")
    talk.model.then(says("Nine nuts."))
    await talk.people.deletes(ANNA, DIRECT, running_one)
    await talk.watcher.hears(DIRECT, "Nine nuts.")
    assert "count the nuts" in str(talk.model.prompts[-1].messages[-1])


async def at_length(talk: "Talk") -> None:
    """An answer of twelve thousand characters with code and a table."""
    before = len(talk.watcher.says(DIRECT))
    await talk.asks(DIRECT, "tell me all", LONG, shown="189. This is line 189")
    parts = talk.watcher.says(DIRECT)[before:]
    assert max(map(len, parts)) <= 4_000
    shown = "\n".join(parts)
    assert [f"line {n} of" in shown for n in range(1, 190)] == [True] * 189
    assert "print('x')" in shown


async def stopping(talk: "Talk") -> None:
    """What runs is stopped; a new conversation; once more."""
    asked = talk.model.asked
    talk.model.then(hangs())
    await talk.people.says(ANNA, DIRECT, "take your time")
    await until(lambda: talk.model.asked == asked + 1)
    await talk.people.says(ANNA, DIRECT, "!stop")
    await talk.watcher.hears(DIRECT, "Stopped.")
    await talk.people.commands(ANNA, DIRECT, "/parley", "new")
    await talk.watcher.hears(DIRECT, "New conversation.")
    await talk.asks(DIRECT, "hello again", "Hello.")
    talk.model.then(says("Hello, once more."))
    await talk.people.says(ANNA, DIRECT, "!retry")
    await talk.watcher.hears(DIRECT, "once more")


class Talk:
    """What Anna does more than once."""

    def __init__(self, server: SlackServer, watcher: Watcher, model: ScriptedModel) -> None:
        self.server = server
        self.people = server.people
        self.watcher = watcher
        self.model = model

    async def asks(
        self, channel: str, text: str, answer: str, *, thread: str = "", shown: str = "", opens: bool = False
    ) -> str:
        """Says something and hears the answer of the model in its thread, or in the one that it opens."""
        self.model.then(says(answer))
        said = await self.people.says(ANNA, channel, text, **({"thread_ts": thread} if thread else {}))
        await self.watcher.hears(channel, shown or answer, thread=said if opens else thread)
        return said

    async def closed(self, channel: str, ts: str) -> None:
        """Once the card has no buttons any more."""
        await until(lambda: not self.watcher.buttons(self.server.world.message(channel, ts)))


@pytest.fixture
def talk(server: SlackServer, watcher: Watcher, model: ScriptedModel) -> Talk:
    return Talk(server, watcher, model)
