"""Shows on the channels of this process what is volatile: drafts, progress. Losing any of it loses nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from channels.contract import AnyChannel, ShowsDrafts, ShowsProgress
from core.bus import Bus, Draft, Progress, Typing, Volatile
from core.domain.chat import ChatKey
from core.ports import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class _Able:
    """A channel and what it can show, found out once: asking a protocol costs 20 us."""

    lane: Lane
    drafts: ShowsDrafts | None
    progress: ShowsProgress | None


class Presence:
    """Passes volatile messages on to the channels that can show them."""

    def __init__(self, bus: Bus, channels: Sequence[AnyChannel]) -> None:
        self._bus = bus
        self._able: Mapping[tuple[str, str], Sequence[_Able]] = _by_account([_able(one) for one in channels])

    def watches(self, chat: ChatKey) -> bool:
        """Whether drafts of this chat are seen by anybody here."""
        return any(able.drafts is not None for able in self._of(chat))

    async def run(self) -> None:
        """Until cancelled."""
        with self._bus.subscribe(Draft, Progress, Typing) as messages:
            async for message in messages:
                self._show(message)

    def _show(self, message: Volatile) -> None:
        match message:
            case Draft(chat=chat, text=text):
                for able in self._of(chat):
                    if able.drafts is not None:
                        able.drafts.draft(chat, text)
            case Progress(chat=chat, text=text):
                self._progress(chat, text)
            case Typing(chat=chat, on=on):
                self._progress(chat, "thinking" if on else "")
            case _:
                pass

    def _progress(self, chat: ChatKey, text: str) -> None:
        for able in self._of(chat):
            if able.progress is not None:
                able.progress.progress(chat, text)

    def _of(self, chat: ChatKey) -> Sequence[_Able]:
        able = self._able.get((chat.channel, chat.account), ())
        return [one for one in able if one.lane.serves(chat)]


def _able(channel: AnyChannel) -> _Able:
    return _Able(
        lane=channel.lane,
        drafts=channel if channel.limits.drafts and isinstance(channel, ShowsDrafts) else None,
        progress=channel if isinstance(channel, ShowsProgress) else None,
    )


def _by_account(able: Sequence[_Able]) -> Mapping[tuple[str, str], Sequence[_Able]]:
    places: dict[tuple[str, str], list[_Able]] = {}
    for one in able:
        places.setdefault((one.lane.channel, one.lane.account), []).append(one)
    return places
