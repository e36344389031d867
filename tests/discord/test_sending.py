"""Messages on their way out: once, whole, and not to everybody."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from channels.discord.channel import DiscordChannel
from channels.discord.settling import NONCE_MS
from core.domain.chat import ChatKey
from core.domain.delivery import Settled
from core.domain.errors import NotSent, RateLimited, Unreachable, Unsure
from core.domain.message import Markdown, OutgoingFile, Reply, says
from core.domain.presence import Reaction
from tests.contract.discord_rig import DiscordRig, Impatient
from tests.fakes.discord import BOT, DiscordServer
from tests.fakes.discord.refused import Refused, rate_limited
from tests.fakes.wire import Json, at, object_at, objects_at, text_at

MIB = 1024 * 1024


class Bench:
    """A bot that only sends, with a clock that is set by hand."""

    def __init__(self, server: DiscordServer, folder: Path) -> None:
        self.server = server
        self.rig = DiscordRig(server, folder)
        self.folder = folder
        self.clock: Impatient = self.rig.clock

    @property
    def channel(self) -> DiscordChannel:
        return self.rig.channel

    @property
    def bodies(self) -> list[Json]:
        """What was asked of the API, in order."""
        return [object_at({"body": one.body}, "body") for one in self.server.calls if "/messages" in one.path]


@pytest.fixture
async def bench(server: DiscordServer, tmp_path: Path) -> AsyncIterator[Bench]:
    made = Bench(server, tmp_path)
    yield made
    await made.channel.close()


async def test_the_same_part_is_the_same_message_however_often_its_answer_is_lost(bench: Bench) -> None:
    (part,) = bench.channel.render(says("once"))
    bench.server.faults.cut("POST", "/messages", after=True)
    with pytest.raises(Unsure):
        await bench.channel.send(bench.rig.chat, part, "k" * 22)
    assert await bench.channel.settle(bench.rig.chat, part, "k" * 22) is Settled.NOT_SENT
    await bench.channel.send(bench.rig.chat, part, "k" * 22)
    assert [one.content for one in bench.server.world.ledger] == ["once"]
    assert all(body["enforce_nonce"] and body["nonce"] == "k" * 22 for body in bench.bodies)


@pytest.mark.parametrize(("after", "settled"), [(True, Settled.SENT), (False, Settled.NOT_SENT)])
async def test_when_the_nonce_is_old_what_stands_there_decides(bench: Bench, after: bool, settled: Settled) -> None:
    (part,) = bench.channel.render(Reply(fragments=(Markdown(source="**once**"),)))
    (other,) = bench.channel.render(says("something else"))
    bench.server.faults.cut("POST", "/messages", after=after)
    with pytest.raises(Unsure):
        await bench.channel.send(bench.rig.chat, part, "k1")
    await bench.channel.send(bench.rig.chat, other, "k2")
    bench.clock.ahead = NONCE_MS + 1
    assert await bench.channel.settle(bench.rig.chat, part, "k1") is settled


async def test_after_a_restart_the_same_words_of_an_earlier_reply_are_no_proof(bench: Bench) -> None:
    people, chat = bench.server.people, bench.rig.chat
    (part,) = bench.channel.render(says("Done."))
    await bench.channel.send(chat, part, "k1")
    asked = await people.says(bench.rig.ann, bench.rig.room, "and again")
    bench.rig.cursors[f"messages.{bench.rig.room}"] = asked
    bench.clock.ahead = 10 * NONCE_MS
    fresh = bench.rig.built(bench.folder)
    assert await fresh.settle(chat, part, "k2") is Settled.UNKNOWN
    await bench.channel.send(chat, part, "k2")
    assert await fresh.settle(chat, part, "k2") is Settled.SENT
    (never,) = bench.channel.render(says("Never said."))
    assert await fresh.settle(chat, never, "k3") is Settled.NOT_SENT
    await fresh.close()


async def test_no_way_of_saying_something_notifies_everybody(bench: Bench) -> None:
    chat = bench.rig.chat
    (bench.folder / "a.txt").write_text("x")
    for text in ("Attention @here", "Attention @here now"):
        (part,) = bench.channel.render(Reply(fragments=(Markdown(source=text),)))
        receipt = await bench.channel.send(chat, part, text)
        await bench.channel.edit(chat, receipt, part, text)
    files = (OutgoingFile(path="a.txt", name="a.txt", caption="@everyone see file"),)
    (part,) = bench.channel.render(Reply(fragments=(), files=files))
    await bench.channel.send(chat, part, "file")
    assert len(bench.bodies) == 5
    assert all(at(body, "allowed_mentions", "parse") == [] for body in bench.bodies)


async def test_a_file_that_is_too_large_takes_neither_its_siblings_nor_the_text_with_it(bench: Bench) -> None:
    for name, size in (("v1.png", 300), ("v2.png", 10 * MIB + 1), ("v3.png", 10 * MIB)):
        (bench.folder / name).write_bytes(b"x" * size)
    files = tuple(OutgoingFile(path=name, name=name) for name in ("v1.png", "v2.png", "v3.png", "gone.png"))
    (part,) = bench.channel.render(Reply(fragments=(Markdown(source="Views."),), files=files))
    await bench.channel.send(bench.rig.chat, part, "k")
    (sent,) = bench.server.world.ledger
    assert [text_at(one, "filename") for one in objects_at(sent.message, "attachments")] == ["v1.png", "v3.png"]
    assert sent.content.startswith("Views.")
    assert "v2.png" in sent.content
    assert "gone.png" in sent.content


async def test_a_server_that_takes_less_than_it_said_still_gets_the_text(bench: Bench) -> None:
    (bench.folder / "a.txt").write_text("x")
    (part,) = bench.channel.render(Reply(fragments=(Markdown(source="Look."),), files=(_file("a.txt"),)))
    bench.server.faults.refuse("POST", "/messages", Refused(413, 40005, "Request entity too large"))
    await bench.channel.send(bench.rig.chat, part, "k")
    (sent,) = bench.server.world.ledger
    assert sent.content.startswith("Look.")
    assert "a.txt" in sent.content


@pytest.mark.parametrize("name", ["/etc/hostname", "../outside.txt", "link.txt", "folder", "pipe"])
async def test_what_is_no_plain_file_of_the_workspace_does_not_go_out(bench: Bench, tmp_path: Path, name: str) -> None:
    outside = tmp_path.parent / "outside.txt"
    outside.write_text("secret")
    (bench.folder / "link.txt").symlink_to(outside)
    (bench.folder / "folder").mkdir()
    os.mkfifo(bench.folder / "pipe")
    (part,) = bench.channel.render(Reply(fragments=(Markdown(source="Here."),), files=(_file(name),)))
    await bench.channel.send(bench.rig.chat, part, "k")
    (sent,) = bench.server.world.ledger
    assert not objects_at(sent.message, "attachments")
    assert not bench.server.world.files


async def test_a_post_whose_author_was_not_faster_is_answered_a_moment_later(bench: Bench) -> None:
    (part,) = bench.channel.render(says("an answer"))
    too_early = Refused(
        400, 40058, "Cannot message this thread until after the post author has sent an initial message"
    )
    bench.server.faults.refuse("POST", "/messages", too_early)
    with pytest.raises(RateLimited) as raised:
        await bench.channel.send(bench.rig.chat, part, "k")
    assert raised.value.retry_in < 5
    await bench.channel.send(bench.rig.chat, part, "k")


async def test_a_message_that_was_edited_too_often_makes_room_for_a_new_one(bench: Bench) -> None:
    (part,) = bench.channel.render(says("step 1"))
    receipt = await bench.channel.send(bench.rig.chat, part, "k")
    said = "Maximum number of edits to messages older than 1 hour reached. Try again later"
    bench.server.faults.refuse("PATCH", "/messages", Refused(429, 30046, said))
    with pytest.raises(Unreachable):
        await bench.channel.edit(bench.rig.chat, receipt, part, "k2")


async def test_a_limit_says_how_long_and_whether_it_is_for_everything(bench: Bench) -> None:
    (part,) = bench.channel.render(says("an answer"))
    for everywhere in (False, True):
        bench.server.faults.refuse("POST", "/messages", rate_limited(9.5, everywhere=everywhere))
        with pytest.raises(RateLimited) as raised:
            await bench.channel.send(bench.rig.chat, part, "k")
        assert (raised.value.retry_in, raised.value.everywhere) == (9.5, everywhere)
    bench.server.faults.refuse("POST", "/typing", rate_limited(9.5))
    with pytest.raises(RateLimited):
        await bench.channel.typing(bench.rig.chat, on=True)
    calls = len(bench.server.asked("POST", "/typing"))
    await bench.channel.typing(bench.rig.chat, on=False)
    assert len(bench.server.asked("POST", "/typing")) == calls


async def test_a_token_that_is_refused_is_not_tried_again(bench: Bench) -> None:
    (part,) = bench.channel.render(says("an answer"))
    bench.server.faults.refuse("POST", "/messages", Refused(401, 0, "401: Unauthorized"))
    for _ in range(3):
        with pytest.raises(NotSent):
            await bench.channel.send(bench.rig.chat, part, "k")
    assert len(bench.server.asked("POST", "/messages")) == 1


async def test_a_thread_is_opened_by_the_first_reply_into_it_and_once(bench: Bench) -> None:
    world, people = bench.server.world, bench.server.people
    general = world.channel("general")
    asked = await people.says(bench.rig.ann, general, f"<@{BOT}> count the parts of the long belt, please")
    chat = ChatKey(channel="discord", account=BOT, chat_id=general, thread_id=asked)
    bench.rig.channel.render(says("x"))
    for text in ("Seven.", "No, eight."):
        (part,) = bench.channel.render(says(text))
        await bench.channel.send(chat, part, text)
    assert [text_at(one, "content") for one in world.shown(asked)] == ["Seven.", "No, eight."]
    assert "count the parts" in text_at(world.places[asked].data, "name")
    await bench.channel.react(chat, asked, Reaction.TAKEN, None)
    await bench.channel.react(chat, asked, Reaction.DONE, Reaction.TAKEN)
    signs = objects_at(world.places[general].messages[asked], "reactions")
    assert [text_at(one, "emoji", "name") for one in signs] == ["\u2705"]


async def test_a_deleted_message_is_deleted_and_no_channel_of_another_kind_is_written_to(bench: Bench) -> None:
    (part,) = bench.channel.render(says("an answer"))
    receipt = await bench.channel.send(bench.rig.chat, part, "k")
    await bench.channel.delete(bench.rig.chat, receipt)
    await bench.channel.delete(bench.rig.chat, receipt)
    with pytest.raises(Unreachable):
        await bench.channel.edit(bench.rig.chat, receipt, part, "k")
    with pytest.raises(Unreachable):
        await bench.channel.send(replace(bench.rig.chat, chat_id="../users/@me"), part, "k")


def _file(name: str) -> OutgoingFile:
    return OutgoingFile(path=name, name=Path(name).name)
