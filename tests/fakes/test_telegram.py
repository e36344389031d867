"""The fake Telegram is spoken to by the real library."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, InputMediaDocument, ReplyParameters
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from tests.fakes.telegram import BOT, BOT_NAME, SECRET_HEADER, TOKEN, TelegramServer
from tests.fakes.waiting import until
from tests.fakes.wire import number_at, text_at

ANN, BEN, TEAM = 42, 43, -1001234567890


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[TelegramServer, Bot]]:
    async with TelegramServer(waits=(0.02,)) as telegram:
        telegram.world.person(ANN, "Anna", username="anna")
        telegram.world.person(BEN, "Ben", started=False)
        telegram.world.group(TEAM, "Team", ANN, forum=True)
        async with Bot(TOKEN, base_url=telegram.base_url, base_file_url=telegram.base_file_url) as bot:
            yield telegram, bot


async def test_an_offset_confirms_what_is_below_and_nothing_else() -> None:
    async with connected() as (telegram, bot):
        for number in range(3):
            await telegram.people.says(ANN, ANN, f"message {number}")
        first = await bot.get_updates()
        assert [one.update_id for one in await bot.get_updates()] == [one.update_id for one in first]
        rest = await bot.get_updates(offset=first[0].update_id + 1)
        assert [one.message.text for one in rest if one.message] == ["message 1", "message 2"]
        assert telegram.updates.taken == [first[0].update_id]
        assert [one.update_id for one in await bot.get_updates(offset=-1)] == [first[2].update_id]
        assert len(telegram.updates.waiting()) == 1


async def test_a_poll_takes_a_hundred_and_waits_for_the_first() -> None:
    async with connected() as (telegram, bot), asyncio.TaskGroup() as group:
        poll = group.create_task(bot.get_updates(timeout=20))
        await until(lambda: len(telegram.updates.offsets) == 1)
        await telegram.people.says(ANN, ANN, "now")
        assert len(await poll) == 1
        for number in range(120):
            await telegram.people.says(ANN, ANN, str(number))
        assert len(await bot.get_updates()) == 100


async def test_a_second_poller_ends_the_first_and_a_webhook_ends_both() -> None:
    async with connected() as (telegram, bot), asyncio.TaskGroup() as group:
        poll = group.create_task(_conflict(bot))
        await until(lambda: len(telegram.updates.offsets) == 1)
        async with Bot(TOKEN, base_url=telegram.base_url) as other:
            await other.get_updates(timeout=0)
        assert "terminated by other getUpdates request" in await poll
        await bot.set_webhook("https://parley.test/hook")
        assert "webhook is active" in await _conflict(bot)
        assert (await bot.get_webhook_info()).url == "https://parley.test/hook"


async def test_a_poll_that_is_cut_is_a_network_error() -> None:
    async with connected() as (telegram, bot), asyncio.TaskGroup() as group:
        poll = group.create_task(_error(bot))
        await until(lambda: len(telegram.updates.offsets) == 1)
        await telegram.updates.cut()
        assert isinstance(await poll, NetworkError)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("<b>x", "can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        ("é<foo>x</foo>", 'can\'t parse entities: Unsupported start tag "foo" at byte offset 2'),
        ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b", "Unclosed start tag at byte offset 0"),
        (" <b> </b> ", "message text is empty"),
        ("x" * 4097, "message is too long"),
        ("👍" * 2049, "message is too long"),
    ],
)
async def test_text_that_cannot_be_parsed_is_refused_in_the_servers_words(source: str, complaint: str) -> None:
    async with connected() as (telegram, bot):
        with pytest.raises(BadRequest) as raised:
            await bot.send_message(ANN, source, parse_mode="HTML")
        assert complaint.lower() in str(raised.value).lower()
        assert not telegram.world.ledger


async def test_the_limit_counts_what_is_left_after_parsing() -> None:
    async with connected() as (_, bot):
        sent = await bot.send_message(ANN, f"<b>{'&lt;' * 4096}</b>", parse_mode="HTML")
        assert sent.text == "<" * 4096
        assert [(one.type, one.length) for one in sent.entities] == [("bold", 4096)]


async def test_an_edit_that_changes_nothing_is_refused_and_buttons_that_are_not_given_go() -> None:
    async with connected() as (telegram, bot):
        keys = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="t1")]])
        sent = await bot.send_message(ANN, "Which?", reply_markup=keys)
        with pytest.raises(BadRequest, match=r"(?i)message is not modified"):
            await bot.edit_message_text("Which?", ANN, sent.message_id, reply_markup=keys)
        query = await telegram.people.presses(ANN, ANN, sent.message_id, "Yes")
        update = (await bot.get_updates())[-1]
        assert update.callback_query
        assert (update.callback_query.data, update.callback_query.id) == ("t1", query)
        assert await bot.answer_callback_query(query)
        with pytest.raises(BadRequest, match=r"[Qq]uery is too old"):
            await bot.answer_callback_query(query)
        await bot.edit_message_text("Which?", ANN, sent.message_id)
        with pytest.raises(LookupError):
            await telegram.people.presses(ANN, ANN, sent.message_id, "Yes")
        await bot.delete_message(ANN, sent.message_id)
        with pytest.raises(BadRequest, match=r"(?i)message to delete not found"):
            await bot.delete_message(ANN, sent.message_id)


async def test_chats_that_do_not_want_the_bot_say_why() -> None:
    async with connected() as (telegram, bot):
        await telegram.people.blocks(ANN)
        await telegram.people.leaves(BOT, TEAM)
        said = {chat: await _refusal(bot, chat) for chat in (ANN, BEN, TEAM, 999)}
        assert said == {
            ANN: "Forbidden: bot was blocked by the user",
            BEN: "Forbidden: bot can't initiate conversation with a user",
            TEAM: "Forbidden: bot was kicked from the supergroup chat",
            999: "Chat not found",
        }


async def test_files_go_out_and_come_in() -> None:
    async with connected() as (telegram, bot):
        sent = await bot.send_document(
            ANN, b"our bytes", filename="a.txt", caption="<i>the plan</i>", parse_mode="HTML"
        )
        assert sent.document
        assert (sent.document.file_name, sent.caption) == ("a.txt", "the plan")
        album = await bot.send_media_group(ANN, [InputMediaDocument(b"1"), InputMediaDocument(b"2", caption="two")])
        assert [one.caption for one in album] == [None, "two"]
        await telegram.people.sends_file(ANN, ANN, "b.txt", b"their bytes", caption="look")
        message = (await bot.get_updates())[-1].message
        assert message
        assert message.document
        file = await message.document.get_file()
        assert bytes(await file.download_as_bytearray()) == b"their bytes"
        with pytest.raises(BadRequest, match=r"(?i)caption is too long"):
            await bot.send_document(ANN, b"x", caption="x" * 1025)


async def test_a_call_that_is_cut_after_it_was_done_stands_in_the_ledger() -> None:
    async with connected() as (telegram, bot):
        telegram.faults.cut("sendMessage", after=False)
        telegram.faults.cut("sendMessage", after=True)
        for _ in range(2):
            with pytest.raises(NetworkError):
                await bot.send_message(ANN, "x")
        assert [one.text for one in telegram.world.ledger] == ["x"]
        gate = telegram.faults.delay("sendMessage")
        async with asyncio.TaskGroup() as group:
            late = group.create_task(bot.send_message(ANN, "late"))
            await until(lambda: len(telegram.world.ledger) == 2)
            assert not late.done()
            gate.set()


@pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
async def test_too_many_calls_are_told_how_long_to_wait() -> None:
    async with connected() as (telegram, bot):
        telegram.faults.paced = True
        await bot.send_message(ANN, "one")
        with pytest.raises(RetryAfter):
            await bot.send_message(ANN, "two")
        for _ in range(20):
            await bot.send_message(TEAM, "x")
        with pytest.raises(RetryAfter):
            await bot.send_message(TEAM, "x")


async def test_topics_and_replies_have_to_be_there() -> None:
    async with connected() as (telegram, bot):
        thread = await telegram.people.topic(ANN, TEAM, "Plans")
        sent = await bot.send_message(TEAM, "here", message_thread_id=thread)
        assert (sent.message_thread_id, sent.is_topic_message) == (thread, True)
        with pytest.raises(BadRequest, match=r"(?i)thread not found"):
            await bot.send_message(TEAM, "x", message_thread_id=999)
        with pytest.raises(BadRequest, match=r"(?i)replied not found"):
            await bot.send_message(TEAM, "x", reply_parameters=ReplyParameters(999))
        assert await bot.send_message(
            TEAM, "x", reply_parameters=ReplyParameters(999, allow_sending_without_reply=True)
        )


async def test_in_a_group_the_bot_hears_what_is_said_to_it() -> None:
    async with connected() as (telegram, bot):
        ours = await bot.send_message(TEAM, "hello")
        await telegram.people.says(ANN, TEAM, "among us")
        await telegram.people.says(ANN, TEAM, f"@{BOT_NAME} hi")
        await telegram.people.replies(ANN, TEAM, ours.message_id, "yes?")
        await telegram.people.says(ANN, TEAM, "/help")
        heard = [one.message.text for one in await bot.get_updates() if one.message]
        assert heard == [f"@{BOT_NAME} hi", "yes?", "/help"]


async def test_signs_drafts_and_commands_are_checked() -> None:
    async with connected() as (telegram, bot):
        message = await telegram.people.says(ANN, ANN, "hello")
        await bot.set_message_reaction(ANN, message, "👀")
        with pytest.raises(BadRequest, match=r"(?i)reaction_invalid"):
            await bot.set_message_reaction(ANN, message, "🧨")
        assert await bot.send_message_draft(ANN, 7, "so far")
        assert [one.method for one in telegram.world.ledger] == ["sendMessageDraft"]
        await bot.set_my_commands([("help", "what I understand")])
        assert [one.command for one in await bot.get_my_commands()] == ["help"]


async def test_a_webhook_gets_each_update_with_the_secret_until_it_takes_it() -> None:
    heard: list[tuple[str, str]] = []

    async def hook(request: web.Request) -> web.Response:
        update = await request.json()
        heard.append((text_at(update, "message", "text"), request.headers.get(SECRET_HEADER, "")))
        return web.Response(status=503 if len(heard) < 3 else 200)

    app = web.Application()
    app.router.add_post("/hook", hook)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    async with connected() as (telegram, bot), telegram.pushing():
        await bot.set_webhook(f"http://127.0.0.1:{runner.addresses[0][1]}/hook", secret_token="fake-secret")
        await telegram.people.says(ANN, ANN, "one")
        await telegram.people.says(ANN, ANN, "two")
        await until(lambda: not telegram.updates.waiting())
        assert heard == [("one", "fake-secret")] * 3 + [("two", "fake-secret")]
        assert [one.status for one in telegram.posts] == [503, 503, 200, 200]
    await runner.cleanup()


async def test_another_token_is_nobody() -> None:
    async with TelegramServer() as telegram:
        bot = Bot("1:fake-other-token", base_url=telegram.base_url)
        with pytest.raises(InvalidToken):
            await bot.initialize()
        await bot.request.shutdown()


async def test_what_nobody_took_in_a_day_is_gone() -> None:
    clock = [1_000_000.0]
    async with TelegramServer(now=lambda: clock[0]) as telegram:
        telegram.world.person(ANN, "Anna")
        await telegram.people.says(ANN, ANN, "old")
        clock[0] += 86_401
        await telegram.people.says(ANN, ANN, "new")
        assert [number_at(one.update, "message", "message_id") for one in telegram.updates.waiting()] == [2]


async def _conflict(bot: Bot) -> str:
    with pytest.raises(Conflict) as raised:
        await bot.get_updates(timeout=20)
    return str(raised.value)


async def _error(bot: Bot) -> TelegramError:
    with pytest.raises(TelegramError) as raised:
        await bot.get_updates(timeout=20)
    return raised.value


async def _refusal(bot: Bot, chat: int) -> str:
    with pytest.raises((Forbidden, BadRequest)) as raised:
        await bot.send_message(chat, "x")
    return str(raised.value)
