"""Who works on a store, and who shows which session."""

from dataclasses import dataclass
from pathlib import Path

from channels.terminal.settings import LONGEST_SESSION
from core.domain.errors import ParleyError
from core.store.lock import FileLock

MOST_WINDOWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One process's part in the work on one file. `service` is held by `parley run`: windows step back for it."""

    database: Path
    lock: FileLock
    service: FileLock | None = None
    grace_s: float = 2.0

    def steps_back(self) -> bool:
        """Whether somebody else has the better right to work."""
        return self.service is not None and self.service.taken()


def own_session(home: Path, named: str | None, usual: str) -> tuple[FileLock, str]:
    """The lock of a session that no other window shows. A busy one is refused if it was named, else numbered on."""
    name = usual if named is None else named
    lock = FileLock(home / f"window-{name}.lock")
    if lock.acquire():
        return lock, name
    if named is not None:
        raise ParleyError(
            f"session {name} is open in another window (process {lock.holder()}): close it, or take another --session"
        )
    for number in range(2, MOST_WINDOWS):
        numbered = f"{name[: LONGEST_SESSION - len(f'-{number}')]}-{number}"
        lock = FileLock(home / f"window-{numbered}.lock")
        if lock.acquire():
            return lock, numbered
    raise ParleyError(f"{MOST_WINDOWS} windows are open: close one, or name a session with --session")
