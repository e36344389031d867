"""/whoami"""

from core.decide.gate import Policy, Refused, authorize
from core.domain.message import Reply, says
from core.ports import PendingCommand


class WhoAmI:
    """What Parley knows a person by: the words that an operator needs to let them in."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def __call__(self, command: PendingCommand) -> Reply:
        """Three lines."""
        sender = command.sender
        role = authorize(sender, self._policy)
        may = "none" if isinstance(role, Refused) else role.value
        return says(f"Id: {sender.user_id}\nChannel: {sender.channel}, account {sender.account}\nRole: {may}")
