"""Answers while they are written, in Telegram's own place for drafts: private chats, on servers that have it.

A draft is shown for half a minute and is no message: nothing has to be taken away. The newest text of a chat is sent at
most once a second; what came meanwhile is skipped.
"""

import asyncio
import html

import structlog

from channels.markup.controls import strip_controls
from channels.telegram.calls import NoSuchMethod
from channels.telegram.sending import Outgoing
from core.domain.chat import ChatKey
from core.domain.errors import SendError
from core.ports import Clock

log = structlog.get_logger(__name__)

EVERY_S = 1.0
# Longer texts show their end: what is being written now.
SHOWN = 4_000


class Drafts:
    """`draft` never waits; `run` sends. `available` turns false for good once the server does not know the method."""

    def __init__(self, outgoing: Outgoing, clock: Clock) -> None:
        self.available = True
        self._outgoing = outgoing
        self._clock = clock
        self._newest: dict[ChatKey, str] = {}
        self._arrived = asyncio.Event()

    def here(self, chat: ChatKey) -> bool:
        """Whether the chat has such a place; groups, whose ids are negative, have none."""
        return self.available and not chat.chat_id.startswith("-")

    def draft(self, chat: ChatKey, text: str) -> None:
        """An answer so far, or what is being done; an empty text shows nothing new: the reply takes its place."""
        if not text.strip():
            self._newest.pop(chat, None)
        elif self.here(chat):
            self._newest[chat] = text
            self._arrived.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            newest, self._newest = self._newest, {}
            async with asyncio.TaskGroup() as group:
                for chat, text in newest.items():
                    group.create_task(self._show(chat, text))
            await self._clock.sleep(EVERY_S)

    async def _show(self, chat: ChatKey, text: str) -> None:
        shown = strip_controls(text)
        while len(shown.encode("utf-16-le")) // 2 > SHOWN:
            shown = shown[len(shown) - SHOWN // 2 :]
        arguments: dict[str, object] = {"draft_id": _number_of(chat), "text": html.escape(shown, quote=False)}
        arguments |= {"parse_mode": "HTML", "message_thread_id": int(chat.thread_id) if chat.thread_id else None}
        try:
            await self._outgoing.call("sendMessageDraft", chat, arguments)
        except NoSuchMethod:
            self.available = False
        except SendError as exc:
            log.info("telegram.no_draft", reason=str(exc))


def _number_of(chat: ChatKey) -> int:
    """The same for a chat, so that a changed draft moves and does not begin anew; never 0."""
    return int(chat.thread_id or 0) + 1
