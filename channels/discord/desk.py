"""What one bot works with, whether it listens or sends."""

from dataclasses import dataclass, field

from channels.contract import ChannelContext
from channels.discord.attempts import Attempts
from channels.discord.known import Known
from channels.discord.pending import Pending
from channels.discord.rest import Rest
from channels.discord.settings import DiscordSettings
from core.domain.chat import ChatKey
from core.domain.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One bot: its settings, its calls, and what it knows."""

    token: Secret
    settings: DiscordSettings
    context: ChannelContext
    rest: Rest
    known: Known
    pending: Pending = field(default_factory=Pending)
    attempts: Attempts = field(default_factory=Attempts)


def new_desk(token: Secret, settings: DiscordSettings, context: ChannelContext) -> Desk:
    """Nothing is connected yet."""
    return Desk(token=token, settings=settings, context=context, rest=Rest(token), known=Known(me=context.account))


def target(chat: ChatKey) -> str:
    """The channel of Discord where the messages of a chat stand."""
    return chat.thread_id or chat.chat_id
