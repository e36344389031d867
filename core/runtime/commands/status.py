"""/status"""

from collections.abc import Callable

from core.domain.chat import ChatKey, QueueMode
from core.domain.message import Reply, says
from core.ports import ChatSettings, Clock, Models, PendingCommand


class Status:
    """What runs and what waits in this chat."""

    def __init__(
        self, chats: ChatSettings, default: Callable[[ChatKey], QueueMode], models: Models, clock: Clock
    ) -> None:
        self._chats = chats
        self._default = default
        self._models = models
        self._clock = clock

    async def __call__(self, command: PendingCommand) -> Reply:
        """Four lines."""
        queue = await self._chats.queue(command.chat_row)
        model = self._models.choose(await self._chats.model(command.chat_row)).names[0]
        running = "idle"
        if queue.since is not None:
            running = f"turn {queue.running}, for {(self._clock.now() - queue.since) // 1000} s"
        mode = queue.mode or self._default(command.chat)
        return says(f"Running: {running}\nWaiting: {queue.waiting}\nQueue: {mode}\nModel: {model}")
