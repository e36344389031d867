"""A clock that somebody sets while people sleep by it."""

from tests.fakes.clock import FakeClock


class SetClock(FakeClock):
    """Its time of day can be set on and back; how long a sleep lasts has nothing to do with that, as in earnest."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        super().__init__(now)
        self._set = 0

    def now(self) -> int:
        """The time of day, in milliseconds."""
        return super().now() + self._set

    def is_set(self, seconds: float) -> None:
        """On, or back."""
        self._set += round(seconds * 1000)
