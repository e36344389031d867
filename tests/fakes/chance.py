"""Chance that a test can foresee."""


class FakeChance:
    """Keys count up, jitter is always the same."""

    def __init__(self, jitter: float = 0.5, prefix: str = "key") -> None:
        self._jitter = jitter
        self._prefix = prefix
        self._keys = 0

    def key(self) -> str:
        """The next key, 22 characters like a real one."""
        self._keys += 1
        return f"{self._prefix}-{self._keys}".ljust(22, "_")

    def jitter(self) -> float:
        """The number given at the start."""
        return self._jitter
