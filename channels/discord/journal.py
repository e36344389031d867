"""What of a bot's events is stored, and up to where: events go through here to the store, with the cursors.

Scopes: `messages.CHANNEL` holds the id of the newest message of somebody else that is stored of a channel, thread or
DM; `began.GUILD` the newest message of a guild when it was first seen; `dm.N` the channels of DMs, which cannot be
listed.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from channels.contract import Accept
from channels.discord.where import CHANNEL
from core.domain.chat import ChatKey
from core.domain.errors import StoreError
from core.domain.message import CursorMove, Dropped, Inbound
from core.ports import Accepted, Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 15.0
REMEMBERED = 20_000

Cursor = Callable[[str], Awaitable[str | None]]


class Journal:
    """One listener's way to the store. `cursor` reads what an earlier process has stored."""

    def __init__(self, accept: Accept, cursor: Cursor | None, clock: Clock, account: str) -> None:
        self._accept = accept
        self._cursor = cursor
        self._clock = clock
        self._account = account
        self._values: dict[str, str] = {}
        self._stored: OrderedDict[str, None] = OrderedDict()
        self._dms: list[str] = []
        self._dms_read = False

    async def store(self, event: Inbound | Dropped) -> Accepted:
        """However long it takes: the gateway hands nothing out again, so it waits until the store takes it."""
        pause = FIRST_PAUSE_S
        while True:
            accepted = await self.offer(event)
            if accepted is not None:
                return accepted
            await self._clock.sleep(pause)
            pause = min(LONGEST_PAUSE_S, pause * 2)

    async def offer(self, event: Inbound | Dropped) -> Accepted | None:
        """Once; None when the store did not take it."""
        try:
            accepted = await self._accept(event)
        except StoreError as error:
            log.warning("event.not_stored", error=str(error), event_key=event.event_key)
            return None
        if event.cursor is not None:
            self._values[event.cursor.scope] = event.cursor.value
        return accepted

    def has(self, message_id: str) -> bool:
        """Whether it was stored through here lately: what is read back may have come by the gateway meanwhile."""
        return message_id in self._stored

    async def read_up_to(self, event: Inbound | Dropped, channel_id: str, message_id: str) -> Accepted:
        """Stores a message, and that its channel is read so far; what was read before moves nothing back."""
        scope = f"messages.{channel_id}"
        before = await self.value(scope)
        if before is None or int(message_id) > int(before):
            event = replace(event, cursor=CursorMove(scope=scope, value=message_id))
        accepted = await self.store(event)
        self._stored[message_id] = None
        if len(self._stored) > REMEMBERED:
            self._stored.popitem(last=False)
        return accepted

    async def read_of(self, channel_id: str, guild: str | None) -> str | None:
        """Up to where a channel is read: None for one of which nobody said that it is ours."""
        own = await self.value(f"messages.{channel_id}")
        return own or (await self.value(f"began.{guild}") if guild else None)

    async def value(self, scope: str) -> str | None:
        """What is stored of a scope."""
        if scope not in self._values and self._cursor is not None:
            found = await self._cursor(scope)
            if found is not None:
                self._values[scope] = found
        return self._values.get(scope)

    async def begin(self, guild: str, newest: str) -> None:
        """A guild is seen for the first time: what is older than this is not answered."""
        if await self.value(f"began.{guild}") is None:
            await self._note("began", guild, guild, CursorMove(scope=f"began.{guild}", value=newest))

    async def direct(self) -> list[str]:
        """All DMs that ever were."""
        while not self._dms_read:
            found = await self.value(f"dm.{len(self._dms)}")
            if found is None:
                self._dms_read = True
            else:
                self._dms.append(found)
        return list(dict.fromkeys(self._dms))

    async def remember_direct(self, channel_id: str) -> None:
        """Before the first message of a DM is stored, so that no crash forgets it."""
        if channel_id not in await self.direct():
            await self._note("dm", channel_id, channel_id, CursorMove(scope=f"dm.{len(self._dms)}", value=channel_id))
            self._dms.append(channel_id)

    async def _note(self, what: str, name: str, chat_id: str, move: CursorMove) -> None:
        chat = ChatKey(channel=CHANNEL, account=self._account, chat_id=chat_id)
        at = self._clock.now()
        await self.store(Dropped(reason=what, event_key=f"{what}.{name}", chat=chat, at=at, cursor=move))
