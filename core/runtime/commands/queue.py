"""/queue [mode]"""

from collections.abc import Callable

from core.domain.chat import ChatKey, QueueMode
from core.domain.message import Reply, says
from core.domain.texts import Texts
from core.ports import ChatSettings, PendingCommand


class ChooseQueue:
    """Lists the queue modes with the active one marked, or chooses one for this chat."""

    def __init__(self, chats: ChatSettings, default: Callable[[ChatKey], QueueMode], texts: Texts) -> None:
        self._chats = chats
        self._default = default
        self._texts = texts

    async def __call__(self, command: PendingCommand) -> Reply:
        """A choice counts from the next message and survives restarts and `/new`."""
        wanted = command.call.arguments.lower()
        if not wanted:
            active = (await self._chats.queue(command.chat_row)).mode or self._default(command.chat)
            return says("\n".join(f"{'*' if mode is active else ' '} {mode}" for mode in QueueMode))
        if wanted not in list(QueueMode):
            return says(self._texts.say("queue_unknown", name=command.call.arguments))
        await self._chats.set_queue_mode(command.chat_row, QueueMode(wanted))
        return says(self._texts.say("queue_set", name=wanted))
