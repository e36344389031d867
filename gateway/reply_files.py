"""Replies that are too long for a chat, as files of the workspace that only this chat's turns see."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import structlog

from core.domain.chat import ChatKey
from core.domain.errors import ToolError
from core.tools.paths import sight
from core.tools.workspace import Workspace

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceReplies:
    """Writes below the uploads of the chat, never through a link: an agent may write there too."""

    workspace: Path
    uploads: Callable[[ChatKey], Path]

    async def keep(self, chat: ChatKey, name: str, text: str) -> str | None:
        """On disk when this returns its path; None when it could not be written."""
        folder = self.uploads(chat)
        path = (folder / "replies" / name).relative_to(self.workspace).as_posix()
        files = Workspace(self.workspace, sight(self.workspace, folder))
        try:
            await asyncio.to_thread(files.write, path, text.encode("utf-8", "replace"), name)
        except ToolError as exc:
            log.warning("reply.not_kept", path=path, error=str(exc))
            return None
        return path
