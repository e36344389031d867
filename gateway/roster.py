"""The channels of this process, which may change while it runs, and what the operator has decided about each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

from channels.contract import AnyChannel, AnySpec
from core.decide.gate import Door, Policy
from core.domain.chat import ChatKey
from core.domain.errors import SettingsError
from gateway.doors import door_of
from gateway.settings import ChannelSettings, Settings

T = TypeVar("T")

Place = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One channel to serve: its account as the platform names it, its settings, and the channel itself."""

    spec: AnySpec
    account: str
    channel: AnyChannel
    section: ChannelSettings | None = None

    @property
    def place(self) -> Place:
        """By which chats and principals know it."""
        return (self.spec.name, self.account)


class Roster(Sequence[AnyChannel]):
    """The channels that there are at this moment. Whoever holds it, or its policy, sees each change at once."""

    def __init__(self, settings: Settings, served: Sequence[Served] = (), trusted: Sequence[Place] = ()) -> None:
        self.settings = settings
        self.served: tuple[Served, ...] = ()
        self._channels: tuple[AnyChannel, ...] = ()
        self._owners: dict[Place, frozenset[str]] = {}
        self._approvers: dict[Place, frozenset[str]] = {}
        self._listed: dict[Place, frozenset[str]] = {}
        self._doors: dict[Place, Door] = {}
        checked = frozenset((*trusted, *(one.place for one in served if one.spec.trusted)))
        self.policy = Policy(
            trusted=checked,
            owners=self._owners,
            approvers=self._approvers,
            listed=self._listed,
            doors=self._doors,
        )
        self._now_are(served)

    @overload
    def __getitem__(self, index: int) -> AnyChannel: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[AnyChannel]: ...
    def __getitem__(self, index: int | slice) -> AnyChannel | Sequence[AnyChannel]:
        return self._channels[index]

    def __len__(self) -> int:
        return len(self._channels)

    def add(self, served: Served) -> None:
        """From now on it is served. Raises SettingsError for an account that another section serves already."""
        for one in self.served:
            if one.place == served.place and one.section and served.section:
                raise SettingsError(
                    f"{self.settings.file}: {served.section.key} is the same account as {one.section.key} "
                    f"({served.account}): remove one of them"
                )
        self._now_are((*self.served, served))

    def remove(self, served: Served) -> None:
        """It is served no more, and nobody of it is let in."""
        self._now_are([one for one in self.served if one is not served])

    def replace(self, old: Served, new: Served) -> None:
        """Without a moment in which there is none."""
        self._now_are([new if one is old else one for one in self.served])

    def section(self, chat: ChatKey) -> ChannelSettings | None:
        """The settings that a chat falls under: of its account, else of its channel."""
        for one in self.served:
            if one.place == (chat.channel, chat.account) and one.section:
                return one.section
        return self.settings.channels.get(chat.channel)

    def spec(self, chat: ChatKey) -> AnySpec | None:
        """Of the channel that a chat is on, where this process has it."""
        return next((one.spec for one in self.served if one.spec.name == chat.channel), None)

    def _now_are(self, served: Sequence[Served]) -> None:
        self.served = tuple(served)
        self._channels = tuple(one.channel for one in served)
        common = {one.place: one.section.common for one in served if one.section}
        _become(self._owners, {place: frozenset(one.owners) for place, one in common.items()})
        _become(self._approvers, {place: frozenset(one.approvers) for place, one in common.items() if one.approvers})
        _become(self._listed, {place: frozenset(one.allow_from) for place, one in common.items()})
        _become(self._doors, _doors(served))


def _doors(served: Sequence[Served]) -> dict[Place, Door]:
    return {one.place: door_of(one.section.common, mail=not one.spec.refuses) for one in served if one.section}


def _become(lists: dict[Place, T], new: dict[Place, T]) -> None:
    lists.clear()
    lists.update(new)
