"""Slack: channels, threads, direct messages, buttons, slash commands and files."""

from channels.contract import ChannelContext, ChannelSpec, Question
from channels.slack.channel import SlackChannel
from channels.slack.desk import new_desk
from channels.slack.inbound import CHANNEL
from channels.slack.listening import Listener, who
from channels.slack.reading import read_file
from channels.slack.settings import SlackSettings
from channels.slack.taking import new_taking
from channels.slack.verbs import print_manifest


def build(settings: SlackSettings, context: ChannelContext) -> SlackChannel:
    """Nothing is connected yet. Raises SettingsError where a token is missing."""
    desk = new_desk(settings, context)
    return SlackChannel(Listener(desk, new_taking(desk)))


async def identify(settings: SlackSettings, context: ChannelContext) -> str:
    """The team that the bot token is for: one call out."""
    return (await who(new_desk(settings, context))).team_id


SPEC = ChannelSpec(
    name=CHANNEL,
    settings=SlackSettings,
    build=build,
    identify=identify,
    read=read_file,
    verbs={"manifest": print_manifest},
    asks=(
        Question(
            key="bot_token",
            text="The bot token, xoxb-...: https://api.slack.com/apps, your app, OAuth & Permissions",
            secret=True,
        ),
        Question(
            key="app_token",
            text="The app token, xapp-...: Basic Information, App-Level Tokens, with connections:write",
            secret=True,
            optional=True,
        ),
        Question(
            key="signing_secret",
            text="Only for mode http, the signing secret: Basic Information, App Credentials",
            secret=True,
            optional=True,
        ),
    ),
)
