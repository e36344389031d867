"""/usage"""

from datetime import datetime

from core.domain.message import Reply, says
from core.domain.turn import Usage
from core.ports import ChatLog, Clock, PendingCommand


class ShowUsage:
    """What models were paid for in a chat."""

    def __init__(self, log: ChatLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock

    async def __call__(self, command: PendingCommand) -> Reply:
        """Two lines: since midnight here, and in the current conversation."""
        now = datetime.fromtimestamp(self._clock.now() / 1000).astimezone()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        today = await self._log.used_since(command.chat_row, int(midnight.timestamp() * 1000))
        here = await self._log.used_here(command.chat_row)
        return says(f"Today: {_words(today)}\nThis conversation: {_words(here)}")


def _words(usage: Usage) -> str:
    cost = f", ${usage.cost:.4f}" if usage.cost else ""
    return f"{usage.prompt_tokens:,} tokens read, {usage.completion_tokens:,} written{cost}"
