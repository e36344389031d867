"""What a message only names and has to be fetched: its files, and the place that it stands in."""

import asyncio
from dataclasses import replace
from pathlib import Path

import structlog

from channels.discord.desk import Desk
from channels.discord.fields import Json, objects, text
from channels.discord.files import MOST_IN, source_of, store_in
from channels.discord.rest import Refused
from core.domain.errors import SendError
from core.domain.message import Attachment, Inbound

log = structlog.get_logger(__name__)

MOST_IN_ALL = 100_000_000


class Incoming:
    """Fetches before the event is stored; what cannot be fetched stays named."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def look_up(self, channel_id: str) -> None:
        """A channel or thread of a guild."""
        try:
            found = await self._desk.rest.call("GET", "/channels/{channel_id}", channel_id=channel_id)
        except (Refused, SendError) as error:
            log.info("place.unknown", channel=channel_id, why=str(error))
            return
        if isinstance(found, dict):
            self._desk.known.learn_place(found)

    async def fetched(self, event: Inbound, told: Json) -> Inbound:
        """With its files in the folder of its chat. Nobody's files are fetched that were not for us."""
        uploads = self._desk.context.uploads
        if not event.attachments or uploads is None or event.addressed is False:
            return event
        folder, room, done = uploads(event.chat), MOST_IN_ALL, []
        for attachment, raw in zip(event.attachments, objects(told, "attachments"), strict=True):
            stored = await self._fetch(attachment, raw, folder, min(MOST_IN, room))
            room -= stored.size if stored.path else 0
            done.append(stored)
        return replace(event, attachments=tuple(done))

    async def _fetch(self, attachment: Attachment, raw: Json, folder: Path, most: int) -> Attachment:
        url = source_of(raw, self._desk.settings.api_url)
        if url is None or attachment.size > most:
            log.info("attachment.left", reason="too large" if url else "a foreign address", size=attachment.size)
            return attachment
        try:
            data = await self._desk.rest.fetch(url, most)
            if data is None:
                return attachment
            path = await asyncio.to_thread(store_in, folder, text(raw, "id") or "0", attachment.name, data)
        except (SendError, OSError) as error:
            log.info("attachment.lost", why=str(error))
            return attachment
        inside = path.resolve().relative_to(self._desk.context.workspace.resolve())
        return replace(attachment, path=str(inside), size=len(data))
