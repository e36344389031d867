"""A second Discord, written by others: simcord keeps one in memory, behind the real library.

It has no gateway socket, so its dispatches are handed to where frames would arrive; every call goes through its REST.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import simcord

from channels.contract import ChannelContext
from channels.discord import SPEC
from channels.discord.channel import DiscordChannel
from channels.discord.ears import Ears as Hearing
from channels.discord.ears import Ways
from channels.discord.gateway import Ears, _drain
from channels.discord.journal import Journal
from core.domain.chat import ChatKey
from core.domain.command import COMMANDS
from core.domain.errors import SendError
from core.domain.message import Choice, Inbound, InboundKind, OutgoingFile, Reply, Text, says
from core.domain.presence import Reaction
from core.domain.texts import Texts
from tests.contract.discord_rig import Impatient
from tests.contract.intake import Intake
from tests.fakes.discord import TOKEN


class Bot:
    """The channel, on simcord."""

    def __init__(self, env: simcord.Env, channel: DiscordChannel, intake: Intake) -> None:
        self.env = env
        self.channel = channel
        self.intake = intake

    def chat(self, channel_id: int, thread_id: int | None = None) -> ChatKey:
        account = self.channel.lane.account
        thread = None if thread_id is None else str(thread_id)
        return ChatKey(channel="discord", account=account, chat_id=str(channel_id), thread_id=thread)

    async def said(self, words: str) -> Inbound:
        """What was stored of it."""
        for count in range(1, 50):
            stored = (await self.intake.stores(count))[count - 1]
            if isinstance(stored, Inbound) and stored.content == words:
                return stored
        raise AssertionError(words)


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    async with _bot(tmp_path) as made:
        yield made


@asynccontextmanager
async def _bot(folder: Path) -> AsyncIterator[Bot]:
    clock, intake = Impatient(), Intake()
    ears = Ears(content=True, clock=clock)
    _forward(ears)
    env = simcord.Env(ears, check_errors=False)
    await env.start()
    account = str(env.backend.bot_user.id)
    context = ChannelContext(
        account=account, workspace=folder, clock=clock, commands=COMMANDS, texts=Texts({}), env=lambda name: None
    )
    channel = SPEC.build(SPEC.settings.model_validate({"bot_token": TOKEN}), context)
    assert isinstance(channel, DiscordChannel)
    desk = channel._desk
    desk.rest._client = ears
    hearing = Hearing(desk, Journal(intake.accept, None, clock, account), Ways(begins=_nothing, guild=_no_guild))
    async with asyncio.TaskGroup() as group:
        draining = group.create_task(_drain(ears.dispatches, ears, hearing.take))
        yield Bot(env, channel, intake)
        draining.cancel()
    await env.shutdown()


def _forward(ears: Ears) -> None:
    """Each dispatch to the library, as simcord expects it, and to where its frame would go."""
    state = ears._connection

    def both(event: str, parse: Callable[[object], None]) -> Callable[[dict[str, object]], None]:
        def take(payload: dict[str, object]) -> None:
            ears.dispatches.put_nowait((event, dict(payload)))
            parse(payload)

        return take

    parsers = {name[6:].upper(): parse for name, parse in inspect.getmembers(state) if name.startswith("parse_")}
    state.parsers = {event: both(event, parse) for event, parse in parsers.items()}


async def _nothing() -> None:
    return


async def _no_guild(guild: str) -> None:
    return


async def test_what_a_member_says_arrives_and_is_answered_changed_and_taken_away(bot: Bot) -> None:
    guild = bot.env.create_guild()
    general = guild.create_text_channel("general")
    anna = guild.add_member(bot.env.create_user("anna"))
    await anna.send(general, f"<@{bot.channel.lane.account}> how many parts?")
    said = await bot.said("how many parts?")
    assert (said.addressed, said.shared, said.chat) == (True, True, bot.chat(general.id))
    (part,) = bot.channel.render(says("Seven *parts*."))
    receipt = await bot.channel.send(said.chat, part, "k" * 22)
    assert general.history()[-1].content == "Seven \\*parts\\*."
    await bot.channel.react(said.chat, said.message_id or "", Reaction.TAKEN, None)
    (changed,) = bot.channel.render(says("Eight."))
    await bot.channel.edit(said.chat, receipt, changed, "k")
    assert general.history()[-1].content == "Eight."
    await bot.channel.typing(said.chat, on=True)
    await bot.channel.delete(said.chat, receipt)
    assert len(general.history()) == 1


async def test_a_file_goes_out_and_a_question_has_buttons_that_say_which_was_pressed(bot: Bot, tmp_path: Path) -> None:
    guild = bot.env.create_guild()
    general = guild.create_text_channel("general")
    anna = guild.add_member(bot.env.create_user("anna"))
    (tmp_path / "plan.txt").write_text("the plan")
    question = Reply(
        fragments=(Text(text="Which?"),),
        files=(OutgoingFile(path="plan.txt", name="plan.txt"),),
        choices=(Choice(label="Left", token="t1"), Choice(label="Right", token="t2")),
    )
    (part,) = bot.channel.render(question)
    await bot.channel.send(bot.chat(general.id), part, "k" * 22)
    card = general.history()[-1]
    assert [one.filename for one in card.attachments] == ["plan.txt"]
    async with asyncio.TaskGroup() as group:
        group.create_task(anna.click(card, custom_id="t2"))
        said = await bot.said("t2")
        assert (said.kind, said.message_id) == (InboundKind.BUTTON, str(card.id))


async def test_what_it_refuses_is_an_error_of_ours(bot: Bot) -> None:
    with pytest.raises(SendError):
        await bot.channel.send(bot.chat(1), bot.channel.render(says("nobody"))[0], "k")
