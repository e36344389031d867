"""Who the bot is: its token, and the account that it stands for."""

from collections.abc import Mapping

from channels.contract import ChannelContext
from channels.discord.fields import text
from channels.discord.rest import Refused, Rest, set_addresses
from channels.discord.settings import TOKEN_VARIABLE, DiscordSettings, bot_of
from core.domain.errors import SettingsError
from core.domain.secret import Secret


def token_of(settings: DiscordSettings, context: ChannelContext) -> Secret:
    """From the settings, else from the environment. Raises SettingsError without one."""
    token = settings.bot_token or Secret(context.env(TOKEN_VARIABLE) or "")
    if not token:
        raise SettingsError(f"channels.discord.bot_token is missing: set it, or {TOKEN_VARIABLE} in the environment")
    return token


async def identify(settings: DiscordSettings, context: ChannelContext) -> str:
    """The bot's user id: it stands in the token; where it does not, Discord is asked."""
    token = token_of(settings, context)
    found = bot_of(token)
    if found is not None:
        return found
    set_addresses(settings)
    rest = Rest(token)
    try:
        me = await rest.call("GET", "/users/@me")
    except Refused as refused:
        if refused.status == 401:
            raise SettingsError(f"channels.discord.bot_token is refused by Discord: {refused}") from refused
        raise refused.as_send_error() from refused
    finally:
        await rest.close()
    return (text(me, "id") if isinstance(me, dict) else None) or "unknown"


def own(settings: DiscordSettings) -> Mapping[str, object]:
    """Who we are, as far as the token tells."""
    return {"id": bot_of(settings.bot_token) if settings.bot_token else None}
