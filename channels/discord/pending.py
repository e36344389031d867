"""Interactions that wait for their answer, as long as their token is good."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from channels.discord.interactions import COMMAND, Interaction
from core.domain.chat import ChatKey

# A token is good for 15 minutes: https://docs.discord.com/developers/interactions/receiving-and-responding
GOOD_MS = 15 * 60 * 1000 - 15_000
FIRST_ANSWER_S = 10.0
REMEMBERED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One interaction. `whispers`: only whoever did it sees the answer."""

    interaction: Interaction
    chat: ChatKey
    until: int
    whispers: bool

    @property
    def fills(self) -> bool:
        """Whether the first answer takes the place of the sign of waiting; a button's place is the card itself."""
        return self.interaction.type == COMMAND


class Pending:
    """Of this process only: after a restart, or too late, an answer is an ordinary message."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, Waiting] = OrderedDict()
        self._filled: OrderedDict[str, str] = OrderedDict()
        self._coming: dict[ChatKey, asyncio.Event] = {}

    @contextmanager
    def coming(self, chat: ChatKey) -> Iterator[None]:
        """While an interaction is stored and gets its first answer, whatever is said in its chat has to wait."""
        answered = self._coming[chat] = asyncio.Event()
        try:
            yield
        finally:
            answered.set()
            if self._coming.get(chat) is answered:
                del self._coming[chat]

    def waits(self, event_key: str, waiting: Waiting) -> None:
        """Its answer will come, or a turn's will."""
        self._by_key[event_key] = waiting
        if len(self._by_key) > REMEMBERED:
            self._by_key.popitem(last=False)

    async def found(self, chat: ChatKey, answers: str | None, key: str, now: int) -> tuple[str, Waiting] | None:
        """The interaction that a part answers; one that a turn answers is the oldest of its chat, and nobody's secret.

        `key` is that of the part: the same part finds the same interaction again.
        """
        if chat in self._coming:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._coming[chat].wait(), FIRST_ANSWER_S)
        event_key = self._filled.get(key) or answers or self._open(chat)
        waiting = self._by_key.get(event_key or "")
        if event_key is None or waiting is None or waiting.until <= now:
            return None
        return event_key, waiting

    def first(self, event_key: str, key: str) -> bool:
        """Whether this part is the first answer of its interaction, which it then stays."""
        taken = next((part for part, name in self._filled.items() if name == event_key), None)
        if taken is None:
            self._filled[key] = event_key
            if len(self._filled) > REMEMBERED:
                self._filled.popitem(last=False)
        return taken in (None, key)

    def gone(self, event_key: str) -> None:
        """Its token is good for nothing any more."""
        self._by_key.pop(event_key, None)

    def _open(self, chat: ChatKey) -> str | None:
        taken = set(self._filled.values())
        waiting = (name for name, one in self._by_key.items() if one.chat == chat and not one.whispers)
        return next((name for name in waiting if name not in taken), None)
