"""Files that people share: fetched with the bot's token, no larger than is allowed, into the chat's uploads."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import aiohttp
import structlog
from yarl import URL

from channels.slack.shared_files import SharedFile
from core.domain.chat import ChatKey
from core.domain.message import Attachment
from core.domain.secret import Secret

log = structlog.get_logger(__name__)

WITHIN_S: Final = 60.0
PIECE: Final = 64 * 1024
_UNSAFE = re.compile(r"[^\w.()+-]+")
LONGEST_NAME: Final = 80


class _Failed(Exception):
    """Why a file did not come; the words are for the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where files lie: the folder of a chat, and what their paths are relative to."""

    workspace: Path
    uploads: Callable[[ChatKey], Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloads:
    """Fetches. The token goes to Slack's own hosts and to the host of `api_url`, and nowhere else."""

    place: Place
    token: Secret = field(repr=False)
    api_url: str
    most_bytes: int

    async def fetch(self, chat: ChatKey, files: Sequence[SharedFile]) -> tuple[Attachment, ...]:
        """Each file stored, or only named when that failed. Fetching one again gives the same path. Never raises."""
        return tuple([await self._stored(chat, file) for file in files])

    async def _stored(self, chat: ChatKey, file: SharedFile) -> Attachment:
        path = self.place.uploads(chat) / f"{_safe(file.id)}-{_safe(file.name)}"
        try:
            if not path.exists():
                async with asyncio.timeout(WITHIN_S):
                    await self._fetch(file, path)
            size = path.stat().st_size
        except (_Failed, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("file.not_fetched", file=file.id, error=str(error) or type(error).__name__)
            return file.named()
        return replace(file.named(), path=str(path.relative_to(self.place.workspace)), size=size)

    async def _fetch(self, file: SharedFile, path: Path) -> None:
        if file.size > self.most_bytes:
            raise _Failed(f"it has {file.size} bytes, more than the {self.most_bytes} that are taken")
        if not self._ours(file.url):
            raise _Failed("it does not lie with Slack")
        headers = {"Authorization": f"Bearer {self.token.reveal()}"}
        async with (
            aiohttp.ClientSession() as session,
            session.get(file.url, headers=headers, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                raise _Failed(f"status {answer.status}: is the scope files:read granted?")
            if _is_sign_in(answer.headers, file):
                raise _Failed("a page to sign in came instead: the scope files:read is not granted")
            await self._write(answer.content, path)

    async def _write(self, content: aiohttp.StreamReader, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        size = 0
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            async for piece in content.iter_chunked(PIECE):
                size += len(piece)
                if size > self.most_bytes:
                    break
                out.write(piece)
        if size > self.most_bytes:
            part.unlink()
            raise _Failed(f"it is longer than the {self.most_bytes} bytes that are taken")
        part.replace(path)

    def _ours(self, url: str) -> bool:
        try:
            found, own = URL(url), URL(self.api_url)
        except ValueError:
            return False
        host = found.host or ""
        if (found.scheme, host, found.port) == (own.scheme, own.host, own.port):
            return True
        return found.scheme == "https" and (host == "slack.com" or host.endswith((".slack.com", ".slack-files.com")))


def _is_sign_in(headers: Mapping[str, str], file: SharedFile) -> bool:
    came = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return came == "text/html" and file.media_type.lower() != "text/html"


def _safe(name: str) -> str:
    """One component of a path, whatever it was called."""
    stem, dot, ending = _UNSAFE.sub("_", name).strip("._").rpartition(".")
    short = (stem or ending)[:LONGEST_NAME]
    return f"{short}{dot}{ending[:16]}" if stem else short or "file"
