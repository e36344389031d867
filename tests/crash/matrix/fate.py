"""Where a gateway ends: it is asked at every point that it comes by."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.crash.matrix.points import Moment, Point
from tests.crash.matrix.wire import Death


class Fate:
    """Ends the process as `kill -9` does: nothing is flushed, closed or rolled back by it."""

    def __init__(self, death: Death | None) -> None:
        self.stirs: Callable[[], None] = lambda: None
        self._death = death
        self._came: Counter[Point] = Counter()
        self._storing = 0
        self._calling = 0

    def passes(self, name: str, moment: Moment) -> None:
        """May not return."""
        if self._death is None or self._death.name != name or self._death.moment is not moment:
            return
        point = self._death.point
        self._came[point] += 1
        if self._came[point] == self._death.nth:
            os.kill(os.getpid(), signal.SIGKILL)

    @property
    def idle(self) -> bool:
        """Whether no call to the store or to the platform is under way."""
        return not self._storing and not self._calling

    @contextmanager
    def storing(self) -> Iterator[None]:
        """While an operation of the store is under way."""
        self._storing += 1
        try:
            yield
        finally:
            self._storing -= 1
            self.stirs()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """While the platform is asked for something."""
        self._calling += 1
        try:
            yield
        finally:
            self._calling -= 1
            self.stirs()

    def sleeps(self) -> bool:
        """Stop, as a machine does that is suspended, unless the store is in use: its lock would be held all the time.

        True after it was woken.
        """
        if self._storing:
            return False
        os.kill(os.getpid(), signal.SIGSTOP)
        return True
