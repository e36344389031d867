"""/help"""

from collections.abc import Sequence

from core.domain.command import CommandSpec
from core.domain.message import Reply, says
from core.ports import PendingCommand


class Help:
    """Lists the commands."""

    def __init__(self, commands: Sequence[CommandSpec]) -> None:
        self._commands = commands

    async def __call__(self, command: PendingCommand) -> Reply:
        """One line a command."""
        lines = []
        for spec in self._commands:
            words = f"/{spec.name} {spec.arguments}".strip()
            lines.append(f"{words:<16} {spec.summary}")
        return says("\n".join(lines))
