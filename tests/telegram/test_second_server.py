"""telegram-test-api, which nobody here wrote: as far as it goes, it understands what we say.

It knows no offsets, no albums, no menus and no limits; its getMe has another id and says not that it is a bot.
"""

import time
from pathlib import Path

import pytest
from aiohttp import ClientSession

from channels.telegram import SPEC
from channels.telegram.channel import TelegramChannel
from channels.telegram.settings import TelegramSettings
from core.domain.chat import ChatKey
from core.domain.message import Choice, Markdown, Reply, says
from core.domain.secret import Secret
from core.runtime.ambient import SystemClock
from tests.contract.intake import Intake, listening
from tests.fakes.telegram_bot import ACCOUNT, context
from tests.fakes.wire import Json, object_at, objects_at, text_at
from tests.npm import is_installed, serving

TOKEN = "123:abc"
PACKAGE = "telegram-test-api"
CHAT = ChatKey(channel="telegram", account=ACCOUNT, chat_id="5")

pytestmark = pytest.mark.skipif(not is_installed(PACKAGE), reason=f"python -m tests.npm has not installed {PACKAGE}")


def person(words: str) -> Json:
    """A message as that server's own client gives it."""
    who: Json = {"id": 5, "first_name": "Al", "username": "al", "is_bot": False}
    chat: Json = {"id": 5, "first_name": "Al", "type": "private"}
    return {"from": who, "chat": chat, "botToken": TOKEN, "date": int(time.time()), "text": words}


async def shown(session: ClientSession, url: str) -> list[Json]:
    """What the client sees of the bot."""
    async with session.post(f"{url}/getUpdates", json={"token": TOKEN, "chatId": 5}) as answer:
        return [object_at(one, "message") for one in objects_at(await answer.json(), "result")]


async def test_a_message_comes_in_and_answers_with_buttons_go_out_and_are_edited(tmp_path: Path) -> None:
    settings = TelegramSettings(token=Secret(TOKEN), menu=False)
    async with serving("telegram.js") as url, ClientSession() as session:
        channel = SPEC.build(settings.model_copy(update={"api_url": url}), context(tmp_path, SystemClock()))
        assert isinstance(channel, TelegramChannel)
        try:
            intake = Intake()
            async with listening(channel, intake):
                async with session.post(f"{url}/sendMessage", json=person("hello")) as answer:
                    assert answer.status == 200
                assert await intake.hears(1) == ["hello"]
            choices = (Choice(label="Yes", token="t1"),)
            (card,) = channel.render(Reply(fragments=(Markdown(source="**a** < b"),), choices=choices))
            sent = await channel.send(CHAT, card, "k")
            (message,) = await shown(session, url)
            assert (text_at(message, "text"), text_at(message, "parse_mode")) == ("<b>a</b> &lt; b", "HTML")
            assert text_at(message, "reply_markup", "inline_keyboard", 0, 0, "callback_data") == "t1"
            await channel.edit(CHAT, sent, channel.render(says("closed"))[0], "k2")
        finally:
            await channel.close()
