"""The channels of this process as the delivery of core sees them."""

from collections.abc import Mapping, Sequence

from channels.contract import AnyChannel, Deletes, Edits, Paced, Places
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import NotSent
from core.domain.message import Reply
from core.domain.pace import Manners, Once, Pace


class ChannelSending:
    """Finds the channel that serves a chat."""

    def __init__(self, channels: Sequence[AnyChannel]) -> None:
        self._channels = [(channel.lane, channel) for channel in channels]
        self._editing = [
            (channel.lane, channel) for channel in channels if channel.limits.edits and isinstance(channel, Edits)
        ]
        self._paced = [(channel.lane, channel) for channel in channels if isinstance(channel, Paced)]
        self._placing = [
            (lane, channel)
            for lane, channel in self._editing
            if isinstance(channel, Places) and channel.limits.once is Once.PLACEHOLDER
        ]

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """The buckets that a call to this chat needs."""
        for lane, channel in self._paced:
            if lane.serves(chat):
                return channel.paces(chat)
        return ()

    def manners(self, chat: ChatKey) -> Manners:
        """What its channel is like."""
        limits = self._of(chat).limits
        return Manners(once=limits.once, file_bytes=limits.file_bytes if limits.files else 0)

    def placeholder(self, chat: ChatKey, part: Mapping[str, object], text: str) -> Mapping[str, object] | None:
        """What goes out first, where the channel works so."""
        for lane, channel in self._placing:
            if lane.serves(chat):
                return channel.placeholder(part, text)
        return None

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

    async def remove(self, chat: ChatKey, receipt: Receipt) -> None:
        """One call out, where the channel can."""
        channel = self._of(chat)
        if isinstance(channel, Deletes):
            await channel.delete(chat, receipt)

    async def settle(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Settled:
        """Was it sent?"""
        return await self._of(chat).settle(chat, part, key)

    def _of(self, chat: ChatKey) -> AnyChannel:
        for lane, channel in self._channels:
            if lane.serves(chat):
                return channel
        raise NotSent(f"no channel of this process serves {chat.channel} account {chat.account}")
