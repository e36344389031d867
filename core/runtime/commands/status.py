"""/status"""

from core.domain.message import Reply, says
from core.ports import ChatSettings, Clock, Models, PendingCommand


class Status:
    """What runs and what waits in this chat."""

    def __init__(self, chats: ChatSettings, models: Models, clock: Clock) -> None:
        self._chats = chats
        self._models = models
        self._clock = clock

    async def __call__(self, command: PendingCommand) -> Reply:
        """Three lines."""
        queue = await self._chats.queue(command.chat_row)
        model = self._models.choose(await self._chats.model(command.chat_row)).names[0]
        running = "idle"
        if queue.since is not None:
            running = f"turn {queue.running}, for {(self._clock.now() - queue.since) // 1000} s"
        return says(f"Running: {running}\nWaiting: {queue.waiting}\nModel: {model}")
