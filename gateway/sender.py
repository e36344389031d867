"""The channels of this process as the delivery of core sees them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from channels.contract import AnyChannel, Deletes, Edits, Paced, Places
from core.domain.chat import ChatKey
from core.domain.delivery import Receipt, Settled
from core.domain.errors import NotSent
from core.domain.message import Fragment, Markdown, Mention, Reply, Text
from core.domain.pace import Manners, Once, Pace


@dataclass(frozen=True, slots=True, kw_only=True)
class _Able:
    """A channel and what it can do, found out once: asking a protocol costs 20 us."""

    channel: AnyChannel
    paced: Paced | None
    edits: Edits | None
    places: Places | None
    deletes: Deletes | None


def _able(channel: AnyChannel) -> _Able:
    edits = channel if channel.limits.edits and isinstance(channel, Edits) else None
    placing = edits is not None and channel.limits.once is Once.PLACEHOLDER
    return _Able(
        channel=channel,
        paced=channel if isinstance(channel, Paced) else None,
        edits=edits,
        places=channel if placing and isinstance(channel, Places) else None,
        deletes=channel if isinstance(channel, Deletes) else None,
    )


def masked(reply: Reply, mask: Callable[[str], str]) -> Reply:
    """The reply with every text of it masked."""
    return replace(
        reply,
        fragments=tuple(_masked(fragment, mask) for fragment in reply.fragments),
        files=tuple(replace(file, caption=mask(file.caption)) for file in reply.files),
        choices=tuple(replace(choice, label=mask(choice.label)) for choice in reply.choices),
    )


def _masked(fragment: Fragment, mask: Callable[[str], str]) -> Fragment:
    match fragment:
        case Markdown(source=source):
            return Markdown(source=mask(source))
        case Text(text=text):
            return Text(text=mask(text))
        case Mention():
            return fragment


class ChannelSending:
    """Finds the channel that serves a chat, among those that there are at this moment."""

    def __init__(self, channels: Sequence[AnyChannel], mask: Callable[[str], str]) -> None:
        self._channels = channels
        self._mask = mask
        self._known: dict[int, _Able] = {}

    def paces(self, chat: ChatKey) -> tuple[Pace, ...]:
        """The buckets that a call to this chat needs."""
        one = self._find(chat)
        return one.paced.paces(chat) if one and one.paced else ()

    def manners(self, chat: ChatKey) -> Manners:
        """What its channel is like."""
        limits = self._of(chat).channel.limits
        return Manners(once=limits.once, file_bytes=limits.file_bytes if limits.files else 0)

    def placeholder(self, chat: ChatKey, part: Mapping[str, object], text: str) -> Mapping[str, object] | None:
        """What goes out first, where the channel works so."""
        one = self._find(chat)
        return one.places.placeholder(part, text) if one and one.places else None

    def render(self, chat: ChatKey, reply: Reply) -> Sequence[Mapping[str, object]]:
        """The parts of a reply, with nothing in them that is secret."""
        return self._of(chat).channel.render(masked(reply, self._mask))

    async def send(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Receipt:
        """One call out."""
        return await self._of(chat).channel.send(chat, part, key)

    async def edit(self, chat: ChatKey, receipt: Receipt, part: Mapping[str, object], key: str) -> Receipt | None:
        """One call out, where the channel can."""
        one = self._find(chat)
        return await one.edits.edit(chat, receipt, part, key) if one and one.edits else None

    async def remove(self, chat: ChatKey, receipt: Receipt) -> None:
        """One call out, where the channel can."""
        one = self._of(chat)
        if one.deletes:
            await one.deletes.delete(chat, receipt)

    async def settle(self, chat: ChatKey, part: Mapping[str, object], key: str) -> Settled:
        """Was it sent?"""
        return await self._of(chat).channel.settle(chat, part, key)

    def _find(self, chat: ChatKey) -> "_Able | None":
        for channel in self._channels:
            if channel.lane.serves(chat):
                known = self._known.get(id(channel))
                if known is None or known.channel is not channel:
                    # Those of channels that are gone go too.
                    self._known = {key: one for key, one in self._known.items() if one.channel in self._channels}
                    known = self._known[id(channel)] = _able(channel)
                return known
        return None

    def _of(self, chat: ChatKey) -> "_Able":
        one = self._find(chat)
        if one is not None:
            return one
        raise NotSent(f"no channel of this process serves {chat.channel} account {chat.account}")
