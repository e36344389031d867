"""Hands updates on in the order of their chats, each chat beside the others; albums first become whole."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

import structlog

from channels.contract import Accept
from channels.telegram.inbound import Read, Surroundings, joined, migration, read
from channels.telegram.offset import SCOPE, Offset
from channels.telegram.people import CHANNEL, Me
from channels.telegram.raw import Raw, id_at, number_at, object_at, text_at
from channels.telegram.sources import Sources
from core.domain.chat import ChatKey
from core.domain.errors import SendError, StoreError
from core.domain.message import CursorMove, Dropped, Inbound

log = structlog.get_logger(__name__)

# The pieces of an album come as messages of their own, nearly at once. It is whole when another look shows no more.
ALBUM_S = 0.7


class Taken(Enum):
    """How a batch ended: all stored, an album may still grow, or the store refused something."""

    ALL = auto()
    ALBUM = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """Updates that are one event: one, or the pieces of an album."""

    pieces: list[Read]
    numbers: list[int]
    query: str = ""

    @property
    def album(self) -> str:
        """ "" for none."""
        return self.pieces[0].album

    def whole(self) -> Read:
        """The event."""
        return joined(self.pieces) if len(self.pieces) > 1 else self.pieces[0]


class Intake:
    """Takes updates while somebody listens."""

    def __init__(self, me: Me, accept: Accept, sources: Sources) -> None:
        self._me = me
        self._accept = accept
        self._sources = sources
        self._albums: dict[str, tuple[int, int]] = {}

    async def take(self, updates: Sequence[Raw], offset: Offset) -> Taken:
        """Everything of a poll that is not stored yet."""
        self._learn(updates)
        if not await self._save_moves():
            return Taken.REFUSED
        offset.begin([number for update in updates if (number := number_at(update, "update_id")) is not None])
        chats: dict[str, list[Raw]] = {}
        for update in updates:
            chats.setdefault(_chat_id(update), []).append(update)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._chat(chat, found, offset)) for chat, found in chats.items()]
        ends = {task.result() for task in tasks}
        if Taken.REFUSED in ends:
            return Taken.REFUSED
        return Taken.ALBUM if Taken.ALBUM in ends else Taken.ALL

    async def take_one(self, update: Raw) -> bool:
        """An update that was pushed: whether it is stored."""
        self._learn([update])
        if not await self._save_moves():
            return False
        return await self._chat(_chat_id(update), [update], None) is not Taken.REFUSED

    async def _chat(self, chat_id: str, updates: Sequence[Raw], offset: Offset | None) -> Taken:
        """In order. What follows an album that may still grow waits with it."""
        around = await self._around(chat_id)
        events = self._events(updates, around, offset)
        for event in events:
            if event.album and offset is not None and not self._whole(event):
                return Taken.ALBUM
            try:
                await self._store(event, offset)
            except StoreError as exc:
                log.warning("telegram.not_stored", reason=str(exc))
                return Taken.REFUSED
        return Taken.ALL

    def _learn(self, updates: Sequence[Raw]) -> None:
        for update in updates:
            found = migration(update)
            if found:
                self._sources.moves.learn(*found)

    async def _save_moves(self) -> bool:
        """New ids of groups, with a row of their own; whether the store took them."""
        cursor = self._sources.moves.unsaved()
        if cursor is None:
            return True
        at = self._sources.clock.now()
        where = ChatKey(channel=CHANNEL, account=self._me.id, chat_id="")
        try:
            await self._accept(Dropped(reason="noise", event_key=f"moved.{at}", chat=where, at=at, cursor=cursor))
        except StoreError as exc:
            log.warning("telegram.not_stored", reason=str(exc))
            return False
        self._sources.moves.saved(cursor)
        return True

    async def _around(self, chat_id: str) -> Surroundings:
        admins = await self._sources.admins.of(chat_id) if chat_id.startswith("-") else frozenset[str]()
        moves = self._sources.moves.old_ids
        return Surroundings(me=self._me, bots=self._sources.bots, moved=moves, admins=admins)

    def _events(self, updates: Sequence[Raw], around: Surroundings, offset: Offset | None) -> list[_Event]:
        events: list[_Event] = []
        albums: dict[str, _Event] = {}
        for update in updates:
            number = number_at(update, "update_id")
            if number is not None and offset is not None and not offset.is_open(number):
                continue
            found = read(update, around)
            numbers = [] if number is None else [number]
            if found.album in albums:
                albums[found.album].pieces.append(found)
                albums[found.album].numbers.extend(numbers)
                continue
            event = _Event(pieces=[found], numbers=numbers, query=text_at(object_at(update, "callback_query"), "id"))
            events.append(event)
            if found.album:
                albums[found.album] = event
        return events

    def _whole(self, event: _Event) -> bool:
        """Whether as many pieces were here a while ago."""
        now, pieces = self._sources.clock.now(), len(event.numbers)
        seen, at = self._albums.get(event.album, (0, now))
        if pieces == seen and now - at >= 1000 * ALBUM_S:
            del self._albums[event.album]
            return True
        self._albums[event.album] = (pieces, now if pieces != seen else at)
        return False

    async def _store(self, event: _Event, offset: Offset | None) -> None:
        whole = event.whole()
        found = whole.event
        if isinstance(found, Inbound) and whole.files:
            files = await self._sources.downloads.fetch(found.chat, whole.files)
            found = replace(found, attachments=files)
        if offset is not None:
            found = replace(found, cursor=CursorMove(scope=SCOPE, value=offset.with_these(event.numbers, found.at)))
        told = await self._accepted(event, found)
        if offset is not None:
            offset.store(event.numbers, self._sources.clock.now())
        if event.query and not told:
            await self._answer(event.query)

    async def _accepted(self, event: _Event, found: Inbound | Dropped) -> bool:
        """Whether a reply follows that answers the press which this was."""
        accepted = await self._accept(found)
        if accepted.duplicate and len(event.pieces) > 1:
            # Some of the album was stored before, by a process that ended then: the others are not known yet.
            for piece in event.pieces:
                await self._accept(piece.event)
        return accepted.dropped is not None and accepted.replies

    async def _answer(self, query: str) -> None:
        """Takes the clock off the button; too late is no harm."""
        try:
            await self._sources.api.call("answerCallbackQuery", {"callback_query_id": query})
        except SendError as exc:
            log.info("telegram.press_not_answered", reason=str(exc))


def _chat_id(update: Raw) -> str:
    for value in update.values():
        found = value if isinstance(value, dict) else {}
        chat = object_at(found, "chat") or object_at(found, "message", "chat")
        if chat:
            return id_at(chat, "id")
    return ""
