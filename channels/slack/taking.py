"""Takes bodies in, one after the other for each conversation, and says whether they are stored.

An event has to be answered within three seconds. What takes longer, a large file say, goes on meanwhile: the platform
hands the event out again, and then it is there. Should the process end before that, it is there again all the same.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import structlog

from channels.contract import Accept
from channels.slack.desk import Desk, bot_token
from channels.slack.directory import Directory
from channels.slack.downloads import Downloads, Place
from channels.slack.inbound import Frame, Manner, Me, read
from channels.slack.raw import Json, object_at, text_at
from channels.slack.shared_files import shared_files
from channels.slack.words import NOBODY, Names, ids_in
from core.domain.errors import StoreError
from core.domain.message import Dropped, Inbound

log = structlog.get_logger(__name__)

ANSWER_WITHIN_S: Final = 2.5
MOST_LINES: Final = 5_000


class NotListening(Exception):
    """Nobody takes anything at present."""


class Taking:
    """One account's way in. `serving` says for how long."""

    def __init__(self, manner: Manner, directory: Directory, downloads: Downloads) -> None:
        self._manner = manner
        self._directory = directory
        self._downloads = downloads
        self._accept: Accept | None = None
        self._me: Me | None = None
        self._group: asyncio.TaskGroup | None = None
        self._lines: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def serving(self, accept: Accept, me: Me) -> AsyncIterator[None]:
        """What comes in goes there until the block is left."""
        async with asyncio.TaskGroup() as group:
            self._accept, self._me, self._group = accept, me, group
            try:
                yield
            finally:
                self._accept = self._group = None

    async def in_time(self, body: Json) -> bool:
        """Whether it is stored by the time that an answer is due; it goes on being taken after that."""
        if self._group is None:
            raise NotListening
        task = self._group.create_task(self._kept(body))
        done, _ = await asyncio.wait([task], timeout=ANSWER_WITHIN_S)
        return bool(done) and task.result()

    async def take(self, body: Json) -> None:
        """Stored when it returns. Raises StoreError.

        Within a conversation events are handed on in the order in which they came; their commits may be one.
        """
        accept, me, group = self._accept, self._me, self._group
        if accept is None or me is None or group is None:
            raise NotListening
        async with self._line(_line_of(body)):
            event = await self._read(body, me)
            storing = group.create_task(_result(accept, event))
        if error := await storing:
            raise error

    async def note(self, event: Dropped) -> None:
        """Stored as it is. Raises StoreError."""
        if self._accept is None:
            raise NotListening
        await self._accept(event)

    def _line(self, conversation: str) -> asyncio.Lock:
        if len(self._lines) > MOST_LINES:
            self._lines = {name: lock for name, lock in self._lines.items() if lock.locked()}
        return self._lines.setdefault(conversation, asyncio.Lock())

    async def _kept(self, body: Json) -> bool:
        try:
            await self.take(body)
        except StoreError as error:
            log.warning("inbound.not_stored", error=str(error))
            return False
        return True

    async def _read(self, body: Json, me: Me) -> Inbound | Dropped:
        frame = Frame(body=body, me=me, manner=self._manner, names=await self._names(body, me))
        event = read(frame)
        if isinstance(event, Dropped):
            return event
        message = object_at(frame.event, "message") or frame.event
        files = shared_files(message)
        if not files:
            return event
        return replace(event, attachments=await self._downloads.fetch(event.chat, files))

    async def _names(self, body: Json, me: Me) -> Names:
        """Asked for only where somebody else's message is worth it."""
        event = object_at(body, "event")
        said = object_at(event, "message") or event
        if isinstance(read(Frame(body=body, me=me, manner=self._manner)), Dropped):
            return NOBODY
        users, channels = ids_in(text_at(said, "text") or text_at(body, "text"))
        speaker = text_at(said, "user") or text_at(body, "user_id") or text_at(body, "user", "id")
        return await self._directory.names({*users, speaker} - {""}, channels - {""})


def new_taking(desk: Desk) -> Taking:
    """Nobody listens yet."""
    settings, context = desk.settings, desk.context
    place = Place(workspace=context.workspace, uploads=context.uploads or (lambda chat: context.workspace / "uploads"))
    token = bot_token(settings, context)
    downloads = Downloads(place=place, token=token, api_url=settings.api_url, most_bytes=desk.file_bytes)
    manner = Manner(bots=context.bots, reply_in_thread=settings.reply_in_thread)
    return Taking(manner, Directory(desk.api, context.clock), downloads)


async def _result(accept: Accept, event: Inbound | Dropped) -> StoreError | None:
    """The error as a value: raised in its own task it would end all others."""
    try:
        await accept(event)
    except StoreError as error:
        return error
    return None


def _line_of(body: Json) -> str:
    """What has to stay in order: everything of one conversation."""
    event = object_at(body, "event")
    return text_at(event, "channel") or text_at(body, "channel_id") or text_at(body, "channel", "id")
