"""The channels of this process as the delivery of core sees them."""

from collections.abc import Mapping, Sequence

from channels.contract import AnyChannel, Edits
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import NotSent
from core.domain.message import Reply


class ChannelSending:
    """Finds the channel that serves a chat."""

    def __init__(self, channels: Sequence[AnyChannel]) -> None:
        self._channels = [(channel.lane, channel) for channel in channels]
        self._editing = [
            (channel.lane, channel) for channel in channels if channel.limits.edits and isinstance(channel, Edits)
        ]

    def render(self, chat: ChatKey, reply: Reply) -> Sequence[Mapping[str, object]]:
        """The parts of a reply."""
        return self._of(chat).render(reply)

    async def send(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Receipt:
        """One call out."""
        return await self._of(chat).send(chat, part, key)

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Mapping[str, object], key: str) -> Receipt | None:
        """One call out, where the channel can."""
        for lane, channel in self._editing:
            if lane.serves(chat):
                return await channel.edit(chat, receipt, part, key)
        return None

    async def settle(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Settled:
        """Was it sent?"""
        return await self._of(chat).settle(chat, part, key)

    def _of(self, chat: ChatKey) -> AnyChannel:
        for lane, channel in self._channels:
            if lane.serves(chat):
                return channel
        raise NotSent(f"no channel of this process serves {chat.channel} account {chat.account}")
