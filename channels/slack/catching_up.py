"""After an outage: what was said in the meantime is read back and taken in like anything else.

Slack hands an event out again for some minutes only. What comes twice has the same key and is stored once. On the very
first connection nothing is old: the present is written down, and from then on counts what came since.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from channels.slack.desk import Desk
from channels.slack.inbound import CHANNEL, SAID, Me, milliseconds
from channels.slack.raw import Json, at, objects_at, text_at
from channels.slack.taking import Taking
from core.domain.chat import ChatKey
from core.domain.errors import RateLimited, SendError
from core.domain.message import CursorMove, Dropped

log = structlog.get_logger(__name__)

FIRST: Final = "connected"
PAGE: Final = 200
MOST_PAGES: Final = 50
# Threads that began before the outage: so far back, in the newest of them, answers are looked for.
THREADS_S: Final = 7 * 86_400
KINDS: Final = ("public_channel", "private_channel", "mpim", "im")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchingUp:
    """One account's way back into the conversations that it is part of."""

    desk: Desk
    taking: Taking

    async def run(self, me: Me) -> None:
        """Everything that is new. What cannot be read is logged and left. Raises StoreError."""
        hours = self.desk.settings.catch_up_hours
        since = await self._first(me)
        if since is None or not hours:
            return
        earliest = self.desk.context.clock.now() - int(hours * 3_600_000)
        found = 0
        async for place in self._places():
            channel = text_at(place, "id")
            read_to = milliseconds(await self._cursor(channel) or "")
            try:
                found += await self._place(place, max(read_to or since, earliest), me)
            except SendError as error:
                log.warning("catch_up.not_read", chat=channel, error=str(error))
        log.info("catch_up.done", messages=found)

    async def _first(self, me: Me) -> int | None:
        """When this account first connected; None when that is now and old messages are not wanted."""
        known = milliseconds(await self._cursor(FIRST) or "")
        if known:
            return known
        now = self.desk.context.clock.now()
        ts = f"{now // 1000}.{now % 1000:03d}000"
        chat = ChatKey(channel=CHANNEL, account=me.team_id, chat_id="unknown")
        cursor = CursorMove(scope=FIRST, value=ts)
        await self.taking.note(Dropped(reason="noise", event_key=f"first:{ts}", chat=chat, at=now, cursor=cursor))
        return 0 if self.desk.context.start == "unread" else None

    async def _place(self, place: Json, since: int, me: Me) -> int:
        new = [one async for one in self._new(text_at(place, "id"), since)]
        messages = sorted(new, key=lambda one: text_at(one, "ts"))
        # What was said before we came into a conversation was not said to us.
        came = max((text_at(one, "ts") for one in messages if _joins(one, me)), default="")
        wanted = [one for one in messages if text_at(one, "ts") > came and text_at(one, "subtype") in SAID]
        for message in wanted:
            if text_at(message, "user") != me.user_id:
                await self.taking.take(_body(message, place, me))
        return len(wanted)

    async def _new(self, channel: str, since: int) -> AsyncIterator[Json]:
        """Root messages, and what was said in threads: in new ones, and in the newest of those that were there."""
        async for root in self._roots(channel, since):
            if milliseconds(text_at(root, "ts")) > since:
                yield root
            if milliseconds(text_at(root, "latest_reply")) > since:
                async for reply in self._replies(channel, text_at(root, "ts"), since):
                    yield reply

    async def _roots(self, channel: str, since: int) -> AsyncIterator[Json]:
        async for root in self._pages("conversations.history", "messages", channel=channel, oldest=_ts(since)):
            yield root
        earlier = {"oldest": _ts(since - THREADS_S * 1_000), "latest": _ts(since)}
        page = await self._patiently("conversations.history", channel=channel, limit=PAGE, **earlier)
        for root in objects_at(page, "messages"):
            yield root

    async def _replies(self, channel: str, root: str, since: int) -> AsyncIterator[Json]:
        pages = self._pages("conversations.replies", "messages", channel=channel, ts=root, oldest=_ts(since))
        async for reply in pages:
            if milliseconds(text_at(reply, "ts")) > since and text_at(reply, "ts") != root:
                yield reply

    async def _places(self) -> AsyncIterator[Json]:
        for kind in KINDS:
            try:
                async for place in self._pages("users.conversations", "channels", types=kind, exclude_archived=True):
                    yield place
            except SendError as error:
                log.warning("catch_up.not_listed", kind=kind, error=str(error))

    async def _pages(self, method: str, key: str, **args: object) -> AsyncIterator[Json]:
        cursor = ""
        for _ in range(MOST_PAGES):
            page = await self._patiently(method, **args, limit=PAGE, cursor=cursor or None)
            for one in objects_at(page, key):
                yield one
            cursor = text_at(page, "response_metadata", "next_cursor")
            if not cursor:
                return

    async def _patiently(self, method: str, **args: object) -> Json:
        while True:
            try:
                return await self.desk.api.call(method, **args)
            except RateLimited as slower:
                await self.desk.context.clock.sleep(slower.retry_in)

    async def _cursor(self, scope: str) -> str | None:
        return await self.desk.context.cursor(scope) if self.desk.context.cursor else None


def _joins(message: Json, me: Me) -> bool:
    return text_at(message, "user") == me.user_id and text_at(message, "subtype") in ("channel_join", "group_join")


def _body(message: Json, place: Json, me: Me) -> Json:
    """The event that would have come."""
    kinds: Sequence[tuple[str, str]] = (("is_im", "im"), ("is_mpim", "mpim"), ("is_private", "group"))
    kind = next((name for key, name in kinds if at(place, key) is True), "channel")
    event = {**message, "type": "message", "channel": text_at(place, "id"), "channel_type": kind}
    return {"type": "event_callback", "team_id": me.team_id, "event": event}


def _ts(milliseconds_: int) -> str:
    return f"{max(0, milliseconds_) / 1000:.6f}"
