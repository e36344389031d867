"""Shows on the channels of this process what is volatile: drafts, progress. Losing any of it loses nothing."""

from collections.abc import Sequence
from typing import Any

from channels.contract import Channel, ShowsDrafts, ShowsProgress
from core.bus import Bus, Draft, Progress, Typing
from core.domain.chat import ChatKey


class Presence:
    """Passes volatile messages on to the channels that can show them."""

    def __init__(self, bus: Bus, channels: Sequence[Channel[Any]]) -> None:
        self._bus = bus
        self._channels = tuple(channels)

    def watches(self, chat: ChatKey) -> bool:
        """Whether drafts of this chat are seen by anybody here."""
        return any(isinstance(channel, ShowsDrafts) and self._here(channel, chat) for channel in self._channels)

    async def run(self) -> None:
        """Until cancelled."""
        with self._bus.subscribe(Draft, Progress, Typing) as messages:
            async for message in messages:
                for channel in self._channels:
                    self._show(channel, message)

    def _show(self, channel: Channel[Any], message: object) -> None:
        match message:
            case Draft(chat=chat, text=text) if isinstance(channel, ShowsDrafts) and self._here(channel, chat):
                channel.draft(chat, text)
            case Progress(chat=chat, text=text) if isinstance(channel, ShowsProgress) and self._here(channel, chat):
                channel.progress(chat, text)
            case Typing(chat=chat, on=on) if isinstance(channel, ShowsProgress) and self._here(channel, chat):
                channel.progress(chat, "thinking" if on else "")
            case _:
                pass

    def _here(self, channel: object, chat: ChatKey) -> bool:
        return any(one is channel and one.limits.drafts and one.lane.serves(chat) for one in self._channels)
