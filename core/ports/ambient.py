"""Time, chance and hints: what a test replaces first."""

from typing import Protocol


class Clock(Protocol):
    """Wall time and waiting; tests bring their own."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait. A test's clock returns when it has been moved far enough."""


class Chance(Protocol):
    """Random values, so that a test can choose them."""

    def key(self) -> str:
        """22 url-safe characters of 128 random bits."""

    def jitter(self) -> float:
        """A number from 0 up to, not including, 1."""


class Wakeup(Protocol):
    """A hint that the store may hold work. Losing one costs latency, never a message."""

    def set(self) -> None:
        """Something was committed."""

    async def wait(self, seconds: float) -> None:
        """Return at the next hint, or after `seconds`."""
