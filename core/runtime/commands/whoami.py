"""/whoami"""

from core.domain.message import Reply, says
from core.ports import PendingCommand


class WhoAmI:
    """What Parley knows a person by: the words that an operator needs to let them in."""

    async def __call__(self, command: PendingCommand) -> Reply:
        """Three lines."""
        sender = command.sender
        may = command.role.value if command.role else "none"
        return says(f"Id: {sender.user_id}\nChannel: {sender.channel}, account {sender.account}\nRole: {may}")
