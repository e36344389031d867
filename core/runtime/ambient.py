"""Time and chance of the real world."""

import asyncio
import random
import secrets
import time


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class SystemChance:
    """The machine's chance."""

    def key(self) -> str:
        """22 url-safe characters of 128 random bits."""
        return secrets.token_urlsafe(16)

    def jitter(self) -> float:
        """Spreads retries; nothing secret hangs on it."""
        return random.random()  # noqa: S311 - spreads retries, guards nothing
