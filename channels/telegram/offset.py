"""How far the stored updates reach: Telegram forgets everything below the offset of the next poll. Pure."""

from collections.abc import Sequence

SCOPE = "updates"
# After a week without updates their numbers begin anew at random: then no number may be named.
QUIET_MS = 6 * 24 * 3_600_000


class Offset:
    """The number of the first update that is not stored; updates are stored in any order.

    Without one, Telegram hands out everything that it still has; what was stored before is then known by its key.
    """

    def __init__(self, stored: str | None = None) -> None:
        number, _, at = (stored or "").partition("@")
        self._next = int(number) if number.isdigit() else None
        self._at = self._newest = int(at) if at.isdigit() else 0
        self._open: list[int] = []
        self._done: set[int] = set()

    def asked(self, now: int) -> int | None:
        """What the next poll names."""
        return self._next if now - self._at < QUIET_MS else None

    def begin(self, ids: Sequence[int]) -> None:
        """What a poll gave; what of it is stored already is not open."""
        self._done &= set(ids)
        self._open = sorted(number for number in set(ids) if number not in self._done)
        if ids:
            self._next = self._first(max(ids) + 1)

    def is_open(self, number: int) -> bool:
        """Whether an update of the poll is still to be stored."""
        return number in self._open

    def with_these(self, numbers: Sequence[int], at: int) -> str:
        """What the store keeps when it stores these; `at` is when they happened, 0 where Telegram does not say."""
        self._newest = max(self._newest, at)
        after = max([*numbers, *self._done, *self._open, 0]) + 1
        left = [number for number in self._open if number not in numbers]
        return f"{min(left, default=after)}@{self._newest}"

    def store(self, numbers: Sequence[int], now: int) -> None:
        """They are stored."""
        self._done |= set(numbers)
        self._open = [number for number in self._open if number not in self._done]
        self._next = self._first(max(self._done) + 1)
        self._at = now

    def _first(self, after: int) -> int:
        return min(self._open, default=after)
