"""One window's lines, each under a name of its own."""

import secrets

from channels.contract import ChannelContext
from channels.terminal import inbound
from channels.terminal.settings import TerminalSettings
from core.domain.chat import ChatKey
from core.domain.message import Dropped, Inbound
from core.domain.texts import Texts
from core.ports import Clock


class Reader:
    """Counts the lines of the window called `window`, a name that no other window of any time has."""

    def __init__(self, *, chat: ChatKey, clock: Clock, window: str, limit: int, texts: Texts) -> None:
        self.chat = chat
        self.limit = limit
        self.texts = texts
        self._clock = clock
        self._window = window
        self._lines = 0

    def read(self, line: str) -> Inbound | Dropped:
        """What the line means; no two calls give the same event key."""
        self._lines += 1
        return inbound.read(
            line,
            session=self.chat.chat_id,
            user=self.chat.account,
            at=self._clock.now(),
            key=f"{self._window}.{self._lines}",
            limit=self.limit,
        )


def new_reader(settings: TerminalSettings, context: ChannelContext) -> Reader:
    """For a window that opens now."""
    return Reader(
        chat=inbound.chat_of(context.account, settings.session),
        clock=context.clock,
        window=secrets.token_hex(9),
        limit=settings.max_message,
        texts=context.texts,
    )
