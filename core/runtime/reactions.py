"""Reactions on people's messages: taken, waiting, done. Each chat has one call out at a time, for what is newest."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from core.decide.presence import acks, last_reaction
from core.domain.chat import ChatKey
from core.domain.errors import RateLimited, SendError
from core.domain.happening import Begun, Ended, Taken, Volatile
from core.domain.presence import Etiquette, Reaction
from core.ports import Clock, Showing
from core.runtime.supervised import supervised

log = structlog.get_logger(__name__)

CALL_S = 15.0
LONGEST_WAIT_S = 60.0
PUT_OFF = 3
# Turns that never end here are forgotten when there are so many.
REMEMBERED = 10_000


@dataclass(eq=False, slots=True, kw_only=True)
class _Sign:
    """What stands on a message, and what should."""

    wanted: Reaction
    shown: Reaction | None
    put_off: int = 0


@dataclass(eq=False, slots=True)
class _Chat:
    """What is to be done in a chat, oldest first, and whoever does it."""

    due: "OrderedDict[str, _Sign]" = field(default_factory=OrderedDict)
    task: asyncio.Task[object] | None = None


class Reactions:
    """Puts reactions on messages. Whoever ends a turn, its last reaction comes from there, also after a restart."""

    kinds: frozenset[type[Volatile]] = frozenset({Taken, Begun, Ended})

    def __init__(self, showing: Showing, etiquette: Callable[[ChatKey], Etiquette], clock: Clock) -> None:
        self._showing = showing
        self._etiquette = etiquette
        self._clock = clock
        self._turns: OrderedDict[int, dict[str, _Sign]] = OrderedDict()
        self._chats: dict[ChatKey, _Chat] = {}
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Until cancelled. Before it runs there are none."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            await asyncio.get_running_loop().create_future()

    def offer(self, message: Volatile) -> None:
        """Take note of what should stand on a message from now on."""
        match message:
            case Taken(chat=chat, message_id=message_id, waits=waits) if self._acks(chat, shared=message.shared):
                wanted = Reaction.QUEUED if waits else Reaction.TAKEN
                self._want(chat, message.turn, message_id, wanted, stands=None)
            case Begun(chat=chat, turn=turn, message_ids=ids) if self._acks(chat, shared=message.shared):
                for message_id in ids:
                    # Of a message that an earlier process took, it is not known whether it ever waited.
                    self._want(chat, turn, message_id, Reaction.TAKEN, stands=Reaction.QUEUED)
            case Ended(chat=chat, turn=turn, outcome=outcome):
                last = last_reaction(outcome)
                if last is not None:
                    for message_id, sign in self._turns.pop(turn, {}).items():
                        self._show(chat, message_id, sign, last)

    def _acks(self, chat: ChatKey, *, shared: bool) -> bool:
        return acks(self._etiquette(chat).ack, shared=shared) and self._showing.able(chat).reacts

    def _want(self, chat: ChatKey, turn: int, message_id: str, wanted: Reaction, *, stands: Reaction | None) -> None:
        signs = self._turns.setdefault(turn, {})
        if len(self._turns) > REMEMBERED:
            self._turns.popitem(last=False)
        sign = signs.setdefault(message_id, _Sign(wanted=wanted, shown=stands))
        self._show(chat, message_id, sign, wanted)

    def _show(self, chat: ChatKey, message_id: str, sign: _Sign, wanted: Reaction) -> None:
        sign.wanted = wanted
        if sign.wanted is sign.shown or self._group is None:
            return
        place = self._chats.setdefault(chat, _Chat())
        place.due[message_id] = sign
        if place.task is None:
            place.task = self._group.create_task(self._work(chat, place), name=f"react in {chat.channel}")

    async def _work(self, chat: ChatKey, place: _Chat) -> None:
        try:
            while place.due:
                message_id, sign = place.due.popitem(last=False)
                await supervised(self._react(chat, message_id, sign), "reaction.broke")
        finally:
            del self._chats[chat]

    async def _react(self, chat: ChatKey, message_id: str, sign: _Sign) -> None:
        wanted, before = sign.wanted, sign.shown
        # Noted first: what fails is not tried again.
        sign.shown = wanted
        try:
            async with asyncio.timeout(CALL_S):
                await self._showing.react(chat, message_id, wanted, before)
        except RateLimited as exc:
            if sign.put_off < PUT_OFF:
                sign.put_off += 1
                sign.shown = before
                self._chats[chat].due.setdefault(message_id, sign)
            await self._clock.sleep(min(exc.retry_in, LONGEST_WAIT_S))
        except (SendError, TimeoutError) as exc:
            log.info("reaction.lost", error=str(exc))
