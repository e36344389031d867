"""Stop 6: what somebody has used already."""

from typing import Protocol

from core.domain.chat import Principal
from core.domain.turn import Usage


class Spent(Protocol):
    """What models were paid for."""

    async def used_by(self, person: Principal, since: int) -> Usage:
        """By the turns that this person's messages of that time or later began. Raises StoreError."""
