"""What Telegram said not to do before a time: held for every call to that chat, so that no sign of life prolongs it."""

from core.domain.errors import RateLimited
from core.ports import Clock


class Floors:
    """By chat. The delivery keeps to them by itself; signs of typing, drafts and reactions ask here."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def raised(self, chat_id: str, error: RateLimited) -> None:
        """Telegram wants quiet."""
        self._until[chat_id] = max(self._until.get(chat_id, 0.0), self._clock.now() + 1000 * error.retry_in)

    def check(self, chat_id: str) -> None:
        """Raises RateLimited while there is to be quiet, without a call."""
        left = self._until.get(chat_id, 0.0) - self._clock.now()
        if left > 0:
            raise RateLimited("Telegram wants quiet in this chat", retry_in=left / 1000)
        self._until.pop(chat_id, None)
