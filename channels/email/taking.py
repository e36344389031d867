"""From a mail in the mailbox to a stored event: its conversation, its files, its place in the folder."""

import asyncio
from collections import defaultdict, deque
from dataclasses import replace

import structlog

from channels.contract import Accept
from channels.email import conversations
from channels.email.conversations import Conversation
from channels.email.desk import Desk
from channels.email.files import Place, kept, kept_whole
from channels.email.imap import Fetched
from channels.email.inbound import Judged, judge
from channels.email.looking import Reading, look
from channels.email.where import Spot, chat_of
from core.domain.message import CursorMove, Dropped, Inbound
from core.ports import Accepted

log = structlog.get_logger(__name__)

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
MOST_NOTED = 20
PARSE_FAULTS = (ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError, ArithmeticError)


class Taker:
    """Reads mails one after the other and hands them on."""

    def __init__(self, desk: Desk, accept: Accept) -> None:
        self._desk = desk
        self._accept = accept
        self._lately: defaultdict[str, deque[int]] = defaultdict(deque)
        self._noticed = -DAY_MS

    async def take(self, fetched: Fetched, spot: Spot, move: CursorMove, *, stale: bool) -> Accepted:
        """Stored when it returns. `stale`: it is older than our time here, and only its place is noted."""
        try:
            reading = await asyncio.to_thread(look, fetched.raw, spot, self._desk.manner)
            known = await self._desk.conversation_of(reading)
            judged = await asyncio.to_thread(judge, reading, known, self._desk.manner)
        except PARSE_FAULTS as fault:
            log.warning("mail.unreadable", folder=spot.folder, uid=spot.uid, error=type(fault).__name__)
            return await self._accept(self.dropped("unreadable", f"uid.{spot.name}", spot.at, move))
        event = self._admitted(judged.event, stale=stale)
        noted = await self._noted(reading, judged)
        if isinstance(event, Dropped):
            return await self._accept(replace(event, cursor=replace(move, also=noted)))
        self._notice(event)
        whole = await asyncio.to_thread(self._with_files, event, judged, reading)
        now = judged.conversation
        if now is None or known is None or judged.first or now.author == known.author:
            return await self._accept(replace(whole, cursor=replace(move, also=(*noted, *_moved(now)))))
        return await self._joined(whole, replace(move, also=noted), now)

    def _admitted(self, event: Inbound | Dropped, *, stale: bool) -> Inbound | Dropped:
        """As it is, or dropped for reasons that do not lie in the mail."""
        if isinstance(event, Dropped):
            return event
        reason = "before_our_time" if stale else "too_many" if self._is_too_much(event) else None
        if reason is None:
            return event
        return Dropped(reason=reason, event_key=event.event_key, chat=event.chat, at=event.at)

    async def _joined(self, event: Inbound, move: CursorMove, now: Conversation) -> Accepted:
        """Somebody else than before speaks: only whoever is let in gets the next mail of the conversation."""
        accepted = await self._accept(event)
        let_in = accepted.dropped is None and not accepted.duplicate
        note = self.dropped("spoke", f"spoke.{event.event_key}", event.at, move)
        await self._accept(replace(note, cursor=replace(move, also=(*move.also, *_moved(now))) if let_in else move))
        return accepted

    async def _noted(self, reading: Reading, judged: Judged) -> tuple[CursorMove, ...]:
        """Which conversation this mail belongs to, and those that it answers and that nobody has seen yet."""
        if judged.conversation is None:
            return ()
        root, own = judged.conversation.root, reading.message_id
        unseen = [one for one in reading.ancestors[:MOST_NOTED] if await self._is_new(one)]
        names = ([own] if own else []) + unseen
        return tuple(CursorMove(scope=conversations.scope_of_mail(one), value=root) for one in names)

    async def _is_new(self, message_id: str) -> bool:
        return await self._desk.kept(conversations.scope_of_mail(message_id)) is None

    async def offer(self, event: Dropped) -> Accepted:
        """Stored when it returns."""
        return await self._accept(event)

    def dropped(self, reason: str, key: str, at: int, move: CursorMove) -> Dropped:
        """An event about the mailbox itself."""
        chat = chat_of("mailbox", self._desk.manner)
        return Dropped(reason=reason, event_key=key, chat=chat, at=at, cursor=move)

    def _with_files(self, event: Inbound, judged: Judged, reading: Reading) -> Inbound:
        """Stored before the event is. The whole mail lies beside them where the words do not say all of it.

        It is named only in the first mail of a conversation: an answer to a question is to be nothing but the answer.
        """
        if judged.body is None or self._desk.context.uploads is None:
            return event
        place = Place(folder=self._desk.context.uploads(event.chat), workspace=self._desk.context.workspace)
        files = kept(place, event.event_key, judged.body.files)
        names = judged.first and bool(reading.subject)
        if names or judged.quoted:
            whole = kept_whole(place, event.event_key, reading.subject, reading.raw)
            files = (*files, whole) if names else files
        return replace(event, attachments=files)

    def _is_too_much(self, event: Inbound) -> bool:
        """Whether one sender writes faster than people do: two programs may be writing to each other."""
        now, times = self._desk.context.clock.now(), self._lately[event.sender.user_id]
        while times and times[0] <= now - HOUR_MS:
            times.popleft()
        times.append(now)
        return len(times) > self._desk.settings.most_per_hour

    def _notice(self, event: Inbound) -> None:
        """Tells the operator once a day that mail arrives whose sender nobody verified."""
        now = self._desk.context.clock.now()
        if not event.sender.verified and now - self._noticed >= DAY_MS:
            self._noticed = now
            log.warning(
                "mail.unverified",
                hint="set channels.email.trusted_authserv_id to the server that verifies senders; see parley doctor",
                event_key=event.event_key,
            )


def _moved(known: Conversation | None) -> tuple[CursorMove, ...]:
    if known is None:
        return ()
    return (CursorMove(scope=conversations.scope_of(known.root), value=conversations.dumped(known)),)
