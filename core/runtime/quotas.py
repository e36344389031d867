"""What a person may use in a day, all chats of an account together."""

from core.decide.next_step import Budget
from core.domain.chat import Principal, Role
from core.domain.history import Said
from core.domain.turn import Usage
from core.ports import Clock, Spent
from core.runtime.frame import Frame

DAY_MS = 24 * 3600 * 1000


class Quotas:
    """Counts in memory; a person's day is read from the store once. Owners have no bound."""

    def __init__(self, spent: Spent, budget: Budget, clock: Clock) -> None:
        self._spent = spent
        self._budget = budget
        self._clock = clock
        self._day = 0
        self._used: dict[Principal, Usage] = {}

    async def reached(self, frame: Frame) -> str | None:
        """Which bound the person who began the turn has reached, in words; None while none is. Raises StoreError."""
        said = _first(frame)
        if said.role is Role.OWNER or (self._budget.person_tokens is None and self._budget.person_cost is None):
            return None
        self._turn_the_page()
        person = _bare(said.sender)
        if person not in self._used:
            self._used[person] = await self._spent.used_by(person, self._day * DAY_MS)
        return self._beyond(self._used[person])

    def count(self, frame: Frame, usage: Usage) -> None:
        """A model was paid for the turn."""
        person = _bare(_first(frame).sender)
        before = self._used.get(person)
        if before is not None:
            self._used[person] = Usage(
                prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
                completion_tokens=before.completion_tokens + usage.completion_tokens,
                cost=before.cost + usage.cost,
            )

    def _beyond(self, used: Usage) -> str | None:
        tokens, cost = self._budget.person_tokens, self._budget.person_cost
        if tokens is not None and used.tokens >= tokens:
            return f"{tokens:,} tokens a day"
        return f"${cost:.2f} a day" if cost is not None and used.cost >= cost else None

    def _turn_the_page(self) -> None:
        today = self._clock.now() // DAY_MS
        if today != self._day:
            self._day, self._used = today, {}


def _first(frame: Frame) -> Said:
    said = frame.tree.frames[0].current.said
    return next((one for one in said if not one.context), said[0])


def _bare(sender: Principal) -> Principal:
    return Principal(channel=sender.channel, account=sender.account, user_id=sender.user_id)
