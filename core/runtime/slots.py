"""How many turns this process runs at once."""


class Slots:
    """Counts free slots, and remembers whether somebody found none."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._wanted = False

    def take(self) -> bool:
        """One slot, if there is one; otherwise it is remembered that one was wanted."""
        if self._free <= 0:
            self._wanted = True
            return False
        self._free -= 1
        return True

    def take_all(self) -> int:
        """All that are free."""
        taken, self._free = self._free, 0
        return taken

    def give_back(self, count: int = 1) -> bool:
        """True when somebody waits for what is free now; told once."""
        self._free += count
        wanted, self._wanted = self._wanted and self._free > 0, self._wanted and self._free <= 0
        return wanted

    def want(self) -> None:
        """There may be more work than there were slots."""
        self._wanted = True
