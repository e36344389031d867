"""Discord: guild channels, threads, forums, DMs, slash commands and buttons."""

from channels.contract import ChannelContext, ChannelSpec, Question
from channels.discord.channel import DiscordChannel
from channels.discord.credentials import identify, own, token_of
from channels.discord.desk import new_desk
from channels.discord.listening import Listener
from channels.discord.reading import read_file
from channels.discord.rest import set_addresses
from channels.discord.settings import DiscordSettings
from channels.discord.where import CHANNEL


def build(settings: DiscordSettings, context: ChannelContext) -> DiscordChannel:
    """Nothing is connected yet. Raises SettingsError without a token."""
    set_addresses(settings)
    return DiscordChannel(Listener(desk=new_desk(token_of(settings, context), settings, context)))


SPEC = ChannelSpec(
    name=CHANNEL,
    settings=DiscordSettings,
    build=build,
    identify=identify,
    read=read_file,
    own=own,
    asks=(
        Question(
            key="bot_token",
            text="The bot's token: https://discord.com/developers/applications, your application, Bot, Reset Token",
            secret=True,
        ),
        Question(
            key="auto_thread", text="Open a thread for each conversation in a channel (true or false)", optional=True
        ),
    ),
)

__all__ = ["SPEC", "build", "identify", "own"]
