"""What is seen of turns while they run, on the channels of this process."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from channels.contract import AnyChannel, ChoosesDraftPlace, Deletes, Edits, Reacts, ShowsDrafts, ShowsProgress, Types
from core.bus import Bus
from core.domain.chat import ChatKey
from core.domain.presence import Abilities, Reaction
from core.ports import Drafts
from core.runtime.presence import Presence
from core.runtime.reactions import Reactions
from core.runtime.shown import Manner, Means
from gateway.sender import ChannelSending

NOTHING = Abilities()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A channel and what it can show, found out once: asking a protocol costs 20 us."""

    channel: AnyChannel
    able: Abilities
    drafts: ShowsDrafts | None
    steps: ShowsProgress | None
    types: Types | None
    reacts: Reacts | None
    place: ChoosesDraftPlace | None

    def in_place(self, chat: ChatKey) -> bool:
        """Whether the chat has the place beside the conversation that its channel has."""
        return self.able.line and (self.place is None or self.place.drafts_in(chat))


class ChannelShowing:
    """Finds the channel that serves a chat, among those that there are at this moment."""

    def __init__(self, channels: Sequence[AnyChannel], mask: Callable[[str], str]) -> None:
        self._channels = channels
        self._mask = mask
        self._known: dict[int, _Shown] = {}

    def able(self, chat: ChatKey) -> Abilities:
        """What can be shown there."""
        one = self._of(chat)
        if one is None:
            return NOTHING
        return one.able if one.in_place(chat) else replace(one.able, line=False)

    def step(self, chat: ChatKey, text: str) -> None:
        """What is being done, in its own place."""
        one = self._of(chat)
        if one and one.steps and one.in_place(chat):
            one.steps.progress(chat, self._mask(text))

    def draft(self, chat: ChatKey, text: str) -> None:
        """An answer so far, in its own place."""
        one = self._of(chat)
        if one and one.drafts and one.in_place(chat):
            one.drafts.draft(chat, self._mask(text))

    async def typing(self, chat: ChatKey, *, on: bool) -> None:
        """The sign of typing."""
        one = self._of(chat)
        if one and one.types:
            await one.types.typing(chat, on=on)

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction, instead_of: Reaction | None) -> None:
        """A reaction on a person's message."""
        one = self._of(chat)
        if one and one.reacts:
            await one.reacts.react(chat, message_id, reaction, instead_of)

    def _of(self, chat: ChatKey) -> _Shown | None:
        for channel in self._channels:
            if channel.lane.serves(chat):
                known = self._known.get(id(channel))
                if known is None or known.channel is not channel:
                    # Those of channels that are gone go too.
                    self._known = {key: one for key, one in self._known.items() if one.channel in self._channels}
                    known = self._known[id(channel)] = _shown(channel)
                return known
        return None


def _shown(channel: AnyChannel) -> _Shown:
    drafts = channel if channel.limits.drafts and isinstance(channel, ShowsDrafts) else None
    steps = channel if isinstance(channel, ShowsProgress) else None
    return _Shown(
        channel=channel,
        able=_able(channel, line=any((drafts, steps)), drafts=drafts is not None),
        drafts=drafts,
        steps=steps,
        types=channel if isinstance(channel, Types) else None,
        reacts=channel if isinstance(channel, Reacts) else None,
        place=channel if isinstance(channel, ChoosesDraftPlace) else None,
    )


def _able(channel: AnyChannel, *, line: bool, drafts: bool) -> Abilities:
    limits = channel.limits
    changes = limits.edits and isinstance(channel, Edits)
    return Abilities(
        line=line,
        changes=changes,
        removes=isinstance(channel, Deletes),
        drafts=drafts or (limits.drafts and changes and not line),
        types=isinstance(channel, Types),
        reacts=isinstance(channel, Reacts),
        rhythm=limits.rhythm,
    )


class Shows:
    """All that is shown of turns beside their replies."""

    def __init__(
        self,
        bus: Bus,
        channels: Sequence[AnyChannel],
        drafts: Drafts,
        manner: Manner,
        mask: Callable[[str], str],
    ) -> None:
        showing = ChannelShowing(channels, mask)
        means = Means(showing=showing, sending=ChannelSending(channels, mask), drafts=drafts)
        self._bus = bus
        self._presence = Presence(means, manner)
        self._reactions = Reactions(showing, manner.etiquette, manner.clock)
        self.watches = self._presence.watches
        self.settle = self._presence.settle

    async def run(self) -> None:
        """Until cancelled."""
        with self._bus.attached(self._presence), self._bus.attached(self._reactions):
            await self._both()

    async def _both(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._presence.run(), name="presence")
            group.create_task(self._reactions.run(), name="reactions")
