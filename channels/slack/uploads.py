"""Files that go out: announced, uploaded, then shared. Only the sharing is seen, so only it has to happen once."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Final

import aiohttp

from channels.slack.api import Api
from channels.slack.outbound import FilePart
from channels.slack.raw import objects_at, text_at
from core.domain.chat import ChatKey
from core.domain.errors import NotSent, Unacceptable, Unsure

UPLOAD_WITHIN_S: Final = 120


class Uploads:
    """Sends files of the workspace. `shared` remembers which file a key stands for, while the process lives."""

    def __init__(self, api: Api, workspace: Path, most_bytes: int) -> None:
        self._api = api
        self._workspace = workspace
        self._most_bytes = most_bytes
        self._shared: dict[str, str] = {}

    async def share(self, chat: ChatKey, part: FilePart, key: str) -> str:
        """Three calls; the id of the file. Raises SendError: Unacceptable for a file that can never go out."""
        data = await asyncio.to_thread(self._read, part)
        announced = await self._quietly("files.getUploadURLExternal", filename=part["name"], length=len(data))
        file_id = text_at(announced, "file_id")
        await self._put(text_at(announced, "upload_url"), data)
        self._shared[key] = file_id
        await self._api.call(
            "files.completeUploadExternal",
            files=[{"id": file_id, "title": part["name"]}],
            channel_id=chat.chat_id,
            thread_ts=chat.thread_id,
            initial_comment=part["text"] or None,
        )
        return file_id

    async def was_shared(self, key: str, messages: list[object]) -> bool | None:
        """Whether the file of this key stands in these messages; None when this process knows no file of it."""
        file_id = self._shared.get(key)
        if file_id is None:
            return None
        return any(text_at(file, "id") == file_id for one in messages for file in objects_at(one, "files"))

    async def _quietly(self, method: str, **args: object) -> object:
        """Nobody sees anything yet, so what may have been done can be done again."""
        try:
            return await self._api.call(method, **args)
        except Unsure as error:
            raise NotSent(str(error)) from error

    async def _put(self, url: str, data: bytes) -> None:
        timeout = aiohttp.ClientTimeout(total=UPLOAD_WITHIN_S)
        try:
            async with aiohttp.ClientSession(timeout=timeout) as session, session.post(url, data=data) as answer:
                await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise NotSent(f"the upload broke off ({type(error).__name__})") from error
        if answer.status != 200:
            raise NotSent(f"the upload was refused with status {answer.status}")

    def _read(self, part: FilePart) -> bytes:
        """By descriptor, a regular file inside the workspace only. Raises Unacceptable."""
        path = (self._workspace / part["path"]).resolve()
        if not path.is_relative_to(self._workspace.resolve()):
            raise Unacceptable(f"{part['name']} lies outside the workspace")
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise Unacceptable(f"{part['name']} cannot be read: {error.strerror}") from error
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unacceptable(f"{part['name']} is no regular file")
            data = file.read(self._most_bytes + 1)
        if len(data) > self._most_bytes:
            raise Unacceptable(f"{part['name']} is larger than {self._most_bytes} bytes")
        if not data:
            raise Unacceptable(f"{part['name']} is empty, and Slack takes no empty file")
        return data
