"""/steer without a text; with one it is applied by intake itself"""

from core.domain.message import Reply, says
from core.domain.texts import Texts
from core.ports import PendingCommand


class Steer:
    """Says how it is used."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    async def __call__(self, command: PendingCommand) -> Reply:
        """One line."""
        return says(self._texts.say("steer_empty"))
