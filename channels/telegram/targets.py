"""Where a call about a chat goes, and whether one may go there now."""

from channels.telegram.groups import Moves
from core.domain.chat import ChatKey
from core.domain.errors import RateLimited, Unreachable
from core.ports import Clock, Lane


class Targets:
    """The bot's chats by the ids that they have now.

    What Telegram said not to do before a time holds for every call to that chat, so that no sign of life prolongs it.
    """

    def __init__(self, lane: Lane, moves: Moves, clock: Clock) -> None:
        self._lane = lane
        self._moves = moves
        self._clock = clock
        self._quiet_until: dict[str, float] = {}

    def of(self, chat: ChatKey) -> str:
        """Raises Unreachable for a chat of another bot, RateLimited while there is to be quiet."""
        if not self._lane.serves(chat):
            raise Unreachable(f"this bot is {self._lane.account} and has no chat of {chat.account}")
        left = self._quiet_until.get(chat.chat_id, 0.0) - self._clock.now()
        if left > 0:
            raise RateLimited("Telegram wants quiet in this chat", retry_in=left / 1000)
        self._quiet_until.pop(chat.chat_id, None)
        return self._moves.now_at(chat.chat_id)

    def quiet(self, chat: ChatKey, error: RateLimited) -> None:
        """Telegram wants no call to this chat for a while."""
        until = self._clock.now() + 1000 * error.retry_in
        self._quiet_until[chat.chat_id] = max(self._quiet_until.get(chat.chat_id, 0.0), until)

    def moved(self, chat: ChatKey, new: str) -> None:
        """The group has another id now."""
        self._moves.learn(chat.chat_id, new)
