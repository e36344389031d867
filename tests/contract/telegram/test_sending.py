"""What goes out, and what is known of it when something goes wrong."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from channels.telegram.channel import TelegramChannel
from channels.telegram.outbound import TelegramPart
from core.domain.errors import NotSent, RateLimited, SendError, Unacceptable, Unreachable, Unsure
from core.domain.message import Choice, OutgoingFile, Reply, Text, says
from core.domain.pace import Once, Scope
from core.domain.presence import Reaction
from tests.contract.telegram.desk import ANNA, BEN, GROUP, Impatient, serving
from tests.fakes.telegram import TelegramServer
from tests.fakes.telegram_bot import chat, connected
from tests.fakes.wire import at, text_at


@asynccontextmanager
async def writing(
    workspace: Path, clock: Impatient | None = None, **settings: object
) -> AsyncIterator[tuple[TelegramServer, TelegramChannel]]:
    async with serving() as server, connected(server, workspace, clock or Impatient(), **settings) as channel:
        yield server, channel


def part(channel: TelegramChannel, text: str) -> TelegramPart:
    (found,) = channel.render(says(text))
    return found


async def test_words_go_out_as_html_without_previews(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        receipt = await channel.send(chat(ANNA), part(channel, "a < b: https://example.org"), "k")
        (sent,) = server.asked("sendMessage")
    assert (sent["parse_mode"], sent["link_preview_options"]) == ("HTML", '{"is_disabled": true}')
    assert server.world.shown(ANNA) == ["a < b: https://example.org"]
    assert receipt.message_id == str(server.world.ledger[0].message_id)


async def test_a_topic_gets_what_belongs_to_it(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        server.world.group(-1002, "Forum", ANNA, forum=True)
        thread = await server.people.topic(ANNA, -1002, "Pumps")
        await channel.send(chat(-1002, thread), part(channel, "there"), "k1")
        await channel.send(chat(-1002), part(channel, "in general"), "k2")
        await channel.typing(chat(-1002, thread), on=True)
    assert [(one.text, one.thread) for one in server.world.ledger[:2]] == [("there", thread), ("in general", None)]
    assert server.asked("sendChatAction")[0]["message_thread_id"] == str(thread)


async def test_what_a_deleted_topic_should_have_got_stands_in_the_chat_and_says_so(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        server.world.group(-1002, "Forum", ANNA, forum=True)
        await channel.send(chat(-1002, 44), part(channel, "The list is ready."), "k")
    assert server.world.shown(-1002) == ["(its topic is gone)\nThe list is ready."]


async def test_what_a_group_should_have_got_that_moved_is_sent_to_where_it_is_now(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        server.world.group(-4001, "Old", ANNA, kind="group")
        await server.people.migrates(-4001, -1009)
        await channel.send(chat(-4001), part(channel, "Daily note"), "k1")
        await channel.send(chat(-4001), part(channel, "Another"), "k2")
        targets = [text_at(one, "chat_id") for one in server.asked("sendMessage")]
    assert server.world.shown(-1009) == ["Daily note", "Another"]
    assert targets == ["-4001", "-1009", "-1009"]


@pytest.mark.parametrize(
    ("code", "said", "error"),
    [
        (400, "Bad Request: can't parse entities: Can't find end tag", Unacceptable),
        (400, "Bad Request: message is too long", Unacceptable),
        (400, "Bad Request: BUTTON_DATA_INVALID", Unacceptable),
        (400, "Bad Request: chat not found", Unreachable),
        (400, "Bad Request: PEER_ID_INVALID", Unreachable),
        (400, "Bad Request: group chat was deactivated", Unreachable),
        (400, "Bad Request: not enough rights to send text messages to the chat", Unreachable),
        (400, "Bad Request: TOPIC_CLOSED", Unreachable),
        (403, "Forbidden: bot was blocked by the user", Unreachable),
        (403, "Forbidden: bot was kicked from the supergroup chat", Unreachable),
        (403, "Forbidden: user is deactivated", Unreachable),
        (401, "Unauthorized", NotSent),
        (404, "Not Found", NotSent),
        (500, "Internal Server Error", Unsure),
        (502, "Bad Gateway", Unsure),
    ],
)
async def test_every_refusal_says_what_to_do_next(tmp_path: Path, code: int, said: str, error: type[SendError]) -> None:
    async with writing(tmp_path) as (server, channel):
        server.faults.refuse("sendMessage", code, said)
        with pytest.raises(error) as raised:
            await channel.send(chat(ANNA), part(channel, "x"), "k")
        assert said.split(": ")[-1] in str(raised.value)
        assert not server.world.ledger


@pytest.mark.parametrize("after", [False, True])
async def test_a_connection_that_ends_without_an_answer_leaves_it_open(tmp_path: Path, after: bool) -> None:
    async with writing(tmp_path) as (server, channel):
        server.faults.cut("sendMessage", after=after)
        with pytest.raises(Unsure):
            await channel.send(chat(ANNA), part(channel, "x"), "k")
        assert len(server.world.ledger) == after


async def test_what_never_reached_the_server_was_surely_not_sent(tmp_path: Path) -> None:
    async with writing(tmp_path, api_url="http://127.0.0.1:9") as (_, channel):
        with pytest.raises(NotSent):
            await channel.send(chat(ANNA), part(channel, "x"), "k")


async def test_nothing_at_all_goes_to_a_chat_that_wants_quiet_and_others_go_on(tmp_path: Path) -> None:
    clock = Impatient()
    async with writing(tmp_path, clock) as (server, channel):
        sent = await channel.send(chat(ANNA), part(channel, "first"), "k0")
        server.faults.limit("sendMessage", 1_000)
        with pytest.raises(RateLimited) as raised:
            await channel.send(chat(ANNA), part(channel, "progress"), "k1")
        assert (raised.value.retry_in, raised.value.everywhere) == (1_000, False)
        calls = len(server.calls)
        for call in (
            channel.send(chat(ANNA), part(channel, "x"), "k2"),
            channel.edit(chat(ANNA), sent, part(channel, "y"), "k3"),
            channel.typing(chat(ANNA), on=True),
            channel.react(chat(ANNA), "1", Reaction.TAKEN, None),
        ):
            with pytest.raises(RateLimited):
                await call
        assert len(server.calls) == calls
        await channel.send(chat(BEN), part(channel, "other chat"), "k4")
        clock.ahead += 1_000_000
        await channel.send(chat(ANNA), part(channel, "final answer"), "k5")
    assert server.world.shown(ANNA) == ["first", "final answer"]


async def test_the_same_edit_twice_is_one_and_what_is_gone_cannot_be_edited(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        sent = await channel.send(chat(ANNA), part(channel, "before"), "k")
        for _ in range(2):
            assert await channel.edit(chat(ANNA), sent, part(channel, "after"), "k") == sent
        assert server.world.shown(ANNA) == ["after"]
        for _ in range(2):
            await channel.delete(chat(ANNA), sent)
        with pytest.raises(Unreachable):
            await channel.edit(chat(ANNA), sent, part(channel, "late"), "k")


async def test_buttons_carry_their_tokens_and_go_away_with_the_question(tmp_path: Path) -> None:
    choices = (Choice(label="Hall 3", token="t" * 64), Choice(label="Hall 4", token="u"))
    async with writing(tmp_path) as (server, channel):
        (card,) = channel.render(Reply(fragments=(Text(text="Which?"),), choices=choices))
        sent = await channel.send(chat(ANNA), card, "k")
        stands = server.world.chats[ANNA].messages[int(sent.message_id)]
        rows = at(stands, "reply_markup", "inline_keyboard")
        assert rows == [[{"text": "Hall 3", "callback_data": "t" * 64}], [{"text": "Hall 4", "callback_data": "u"}]]
        await channel.edit(chat(ANNA), sent, part(channel, "Which?: Hall 4 (Anna)"), "k2")
        assert not at(server.world.chats[ANNA].messages[int(sent.message_id)], "reply_markup", "inline_keyboard")


@pytest.mark.parametrize(("name", "method"), [("plan.pdf", "senddocument"), ("plan.PNG", "sendphoto")])
async def test_files_go_out_with_their_captions(tmp_path: Path, name: str, method: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x").write_bytes(b"some bytes")
    file = OutgoingFile(path="data/x", name=name, caption="the <plan>")
    async with writing(tmp_path) as (server, channel):
        for one in channel.render(Reply(fragments=(), files=(file,))):
            await channel.send(chat(ANNA), one, "k")
        assert [(sent.method.lower(), sent.text) for sent in server.world.ledger] == [(method, "the <plan>")]
        assert [stored.data for stored in server.world.files.values()] == [b"some bytes"]


async def test_a_picture_that_telegram_takes_for_none_goes_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no picture")
    async with writing(tmp_path) as (server, channel):
        server.faults.refuse("sendPhoto", 400, "Bad Request: PHOTO_INVALID_DIMENSIONS")
        (one,) = channel.render(Reply(fragments=(), files=(OutgoingFile(path="x.png", name="x.png"),)))
        await channel.send(chat(ANNA), one, "k")
        assert [sent.method.lower() for sent in server.world.ledger] == ["senddocument"]


async def test_a_file_that_is_too_large_or_gone_never_leaves(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 50_000_001)
    async with writing(tmp_path) as (server, channel):
        for name in ("big", "gone"):
            (one,) = channel.render(Reply(fragments=(), files=(OutgoingFile(path=name, name=name),)))
            with pytest.raises(Unacceptable):
                await channel.send(chat(ANNA), one, "k")
        assert not server.calls


async def test_a_reaction_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    async with writing(tmp_path) as (server, channel):
        said = await server.people.says(ANNA, ANNA, "hello")
        for new, old in ((Reaction.QUEUED, None), (Reaction.TAKEN, Reaction.QUEUED), (Reaction.DONE, Reaction.TAKEN)):
            await channel.react(chat(ANNA), str(said), new, old)
        signs = [text_at(one, "reaction") for one in server.asked("setMessageReaction")]
    assert [json_emoji(sign) for sign in signs] == ["✍", "👀", "👌"]


def json_emoji(sign: str) -> str:
    """The one emoji of a list of reactions."""
    (found,) = json.loads(sign)
    return str(found["emoji"])


async def test_the_paces_are_those_that_telegram_names(tmp_path: Path) -> None:
    async with writing(tmp_path) as (_, channel):
        private = {(one.scope, round(one.per_s * 60), one.burst) for one in channel.paces(chat(ANNA))}
        group = {(one.scope, round(one.per_s * 60), one.burst) for one in channel.paces(chat(GROUP))}
    assert private == {(Scope.CHAT, 60, 1), (Scope.ACCOUNT, 1_800, 30)}
    assert group == private | {(Scope.CHAT, 20, 20)}


@pytest.mark.parametrize(("policy", "once"), [("resend-after", Once.REPEAT), ("placeholder-edit", Once.PLACEHOLDER)])
async def test_the_policy_for_what_may_have_been_sent_is_a_setting(tmp_path: Path, policy: str, once: Once) -> None:
    async with writing(tmp_path, unsure=policy) as (_, channel):
        assert channel.limits.once is once


async def test_a_check_names_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    async with writing(tmp_path, doctor_chat=str(GROUP)) as (server, channel):
        found = {one.what: (one.health, one.fix) for one in await channel.check(deep=True)}
        assert any("privacy mode is on" in what for what in found)
        assert all(fix for _, fix in found.values() if _ != "good")
        assert not server.world.shown(GROUP)
        server.world.privacy = False
        await server.people.leaves(server.world.people[110201543].id, GROUP)
        whats = " ".join(one.what for one in await channel.check(deep=False))
        assert "privacy mode is off" in whats
        assert "may not write" in whats


async def test_a_check_with_a_wrong_token_says_where_to_get_the_right_one(tmp_path: Path) -> None:
    async with writing(tmp_path, token="1:wrong-token") as (_, channel):
        (found,) = await channel.check(deep=True)
    assert (found.health, "@BotFather" in found.fix) == ("fault", True)
    assert "wrong-token" not in found.what
