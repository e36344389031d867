"""Signs of life beside the words: typing, and a reaction on a person's message."""

from collections.abc import Mapping

from channels.telegram.sending import Outgoing
from core.domain.chat import ChatKey
from core.domain.presence import Reaction

TYPING_S = 5.0

# Bots may use Telegram's own list of reactions only; these come nearest.
REACTIONS: Mapping[Reaction, str] = {
    Reaction.QUEUED: "✍",
    Reaction.TAKEN: "👀",
    Reaction.DONE: "👌",
    Reaction.FAILED: "💔",
}


class Signs:
    """Each is one call; while Telegram wants quiet in a chat, none."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing

    async def typing(self, chat: ChatKey) -> None:
        """For five seconds, or until a message comes."""
        thread = int(chat.thread_id) if chat.thread_id else None
        await self._outgoing.call("sendChatAction", chat, {"action": "typing", "message_thread_id": thread})

    async def react(self, chat: ChatKey, message_id: str, reaction: Reaction) -> None:
        """A bot has one reaction on a message: the new one takes the old one's place."""
        sign = [{"type": "emoji", "emoji": REACTIONS[reaction]}]
        await self._outgoing.call("setMessageReaction", chat, {"message_id": int(message_id), "reaction": sign})
