"""What the intake asks while it reads updates, and what it shares with whoever writes."""

from dataclasses import dataclass

from channels.contract import ChannelContext
from channels.telegram.calls import Api
from channels.telegram.downloads import Downloads
from channels.telegram.groups import Admins, Moves
from channels.telegram.settings import MEGABYTE, TelegramSettings
from channels.telegram.targets import Targets
from core.ports import Clock, Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """One bot's; `bots` says that what other programs say is an event."""

    api: Api
    downloads: Downloads
    admins: Admins
    moves: Moves
    targets: Targets
    clock: Clock
    bots: bool


def sources_of(api: Api, lane: Lane, settings: TelegramSettings, context: ChannelContext) -> Sources:
    """Nothing is asked yet."""
    moves = Moves()
    most = int(settings.file_mb * MEGABYTE)
    return Sources(
        api=api,
        downloads=Downloads(api, context.workspace, context.uploads, most),
        admins=Admins(api, context.clock),
        moves=moves,
        targets=Targets(lane, moves, context.clock),
        clock=context.clock,
        bots=context.bots,
    )
