"""Files that people send, fetched into the folder of their chat before the message counts as taken."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from channels.telegram.calls import Api
from channels.telegram.files import Sent, safe_name
from channels.telegram.raw import number_at, text_at
from core.domain.chat import ChatKey
from core.domain.errors import SendError
from core.domain.message import Attachment

log = structlog.get_logger(__name__)

FETCH_S = 120.0


class Downloads:
    """Keeps each file under a name of its own; one that cannot be had is named without a path."""

    def __init__(self, api: Api, workspace: Path, uploads: Callable[[ChatKey], Path] | None, most: int) -> None:
        self._api = api
        self._workspace = workspace
        self._uploads = uploads
        self._most = most

    async def fetch(self, chat: ChatKey, files: Sequence[Sent]) -> tuple[Attachment, ...]:
        """All at once; the same file again is the same file."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._fetched(chat, file)) for file in files]
        return tuple(task.result() for task in tasks)

    async def _fetched(self, chat: ChatKey, file: Sent) -> Attachment:
        wanted = file.attachment
        if self._uploads is None or not file.file_id or wanted.size > self._most:
            return wanted
        try:
            async with asyncio.timeout(FETCH_S):
                data = await self._contents(file.file_id)
            if data is None:
                return wanted
            path = await asyncio.to_thread(self._keep, self._uploads(chat), file, data)
        except (SendError, OSError, TimeoutError) as exc:
            log.warning("file.not_fetched", message=file.message_id, error=str(exc))
            return wanted
        return replace(wanted, path=path, size=len(data))

    async def _contents(self, file_id: str) -> bytes | None:
        found = await self._api.call("getFile", {"file_id": file_id})
        told = found if isinstance(found, dict) else {}
        path = text_at(told, "file_path")
        if not path or (number_at(told, "file_size") or 0) > self._most:
            return None
        data = await self._api.fetch(path)
        return data if len(data) <= self._most else None

    def _keep(self, folder: Path, file: Sent, data: bytes) -> str:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{file.message_id}-{safe_name(file.attachment.name)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(folder / name, flags, 0o600)
        with os.fdopen(descriptor, "wb") as kept:
            kept.write(data)
            kept.flush()
            os.fsync(kept.fileno())
        return (folder / name).relative_to(self._workspace).as_posix()
