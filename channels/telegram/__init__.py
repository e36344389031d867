"""Telegram: private chats, groups and topics, through a bot."""

from collections.abc import Mapping

from channels.contract import ChannelSpec, Question
from channels.telegram.credentials import bot_id, identify
from channels.telegram.people import CHANNEL
from channels.telegram.reading import read_updates
from channels.telegram.settings import TelegramSettings
from channels.telegram.wiring import build


def own(settings: TelegramSettings) -> Mapping[str, object]:
    """The bot's number stands in its token; its name only Telegram knows."""
    return {"id": bot_id(settings.token)} if settings.token else {}


SPEC = ChannelSpec(
    name=CHANNEL,
    settings=TelegramSettings,
    build=build,
    identify=identify,
    read=read_updates,
    own=own,
    asks=(
        Question(
            key="token",
            text="The bot's token: write to @BotFather in Telegram, /newbot, and copy what it calls the token",
            secret=True,
        ),
    ),
)
