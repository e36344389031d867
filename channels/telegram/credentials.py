"""The bot's token, and the number in it by which Telegram names the bot."""

import re

from channels.contract import ChannelContext
from channels.telegram.calls import Api
from channels.telegram.people import CHANNEL
from channels.telegram.settings import TelegramSettings
from core.domain.errors import SettingsError
from core.domain.secret import Secret
from core.ports import Lane

_TOKEN = re.compile(r"(?P<bot>\d{1,20}):[A-Za-z0-9_-]{3,}")


def token_of(settings: TelegramSettings, context: ChannelContext) -> Secret:
    """Raises SettingsError where there is none, or where it is none."""
    token = settings.token or Secret(context.env(settings.token_env) or "")
    where = f"[channels.{context.name if context.name != 'default' else 'telegram'}]"
    if not token:
        raise SettingsError(f"{where}: put the bot's token from @BotFather into {settings.token_env} or token")
    if _TOKEN.fullmatch(token.reveal()) is None:
        raise SettingsError(f"{where}: the token has to look like 123456789:AAE..., as @BotFather shows it")
    return token


def api_of(settings: TelegramSettings, context: ChannelContext) -> Api:
    """Raises as `token_of`; nothing is called yet."""
    return Api(token_of(settings, context), settings.api_url)


def lane_of(settings: TelegramSettings, context: ChannelContext) -> Lane:
    """All chats of the bot."""
    return Lane(channel=CHANNEL, account=context.account or bot_id(token_of(settings, context)))


def bot_id(token: Secret) -> str:
    """It stands in front of the colon."""
    return token.reveal().partition(":")[0]


async def identify(settings: TelegramSettings, context: ChannelContext) -> str:
    """From the token alone; nobody is asked."""
    return bot_id(token_of(settings, context))
