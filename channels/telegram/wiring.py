"""A bot put together from its settings. No input or output yet."""

from functools import partial

from channels.contract import ChannelContext
from channels.telegram.channel import TelegramChannel, Ways
from channels.telegram.checking import findings
from channels.telegram.credentials import api_of, lane_of
from channels.telegram.drafts import Drafts
from channels.telegram.limits import limits_of
from channels.telegram.listening import Listener
from channels.telegram.sending import Outgoing
from channels.telegram.settings import TelegramSettings
from channels.telegram.sources import sources_of


def build(settings: TelegramSettings, context: ChannelContext) -> TelegramChannel:
    """Raises SettingsError for a token that cannot be one."""
    api, lane, limits = api_of(settings, context), lane_of(settings, context), limits_of(settings)
    sources = sources_of(api, lane, settings, context)
    outgoing = Outgoing(api, sources.targets, context.workspace, limits.file_bytes)
    ways = Ways(
        outgoing=outgoing,
        listener=Listener(settings, context, sources, Drafts(outgoing, context.clock)),
        check=partial(findings, api, settings),
        close=api.close,
    )
    return TelegramChannel(lane, limits, ways)
