"""What was typed before, for the arrow keys: cosmetic, so no trouble with its file ever stops a window."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import FileHistory

FILE = "terminal-history"
KEPT_ENTRY = 10_000
KEPT_FILE = 1_000_000


class OwnerHistory(FileHistory):
    """Keeps entries in a file that only its owner can read; long entries are forgotten, and the oldest in time."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        super().__init__(self._file)

    def load_history_strings(self) -> Iterable[str]:
        """Newest first."""
        with suppress(OSError):
            self._prepare()
            return list(super().load_history_strings())
        return []

    def store_string(self, string: str) -> None:
        """Append, unless the entry is long or the file cannot be written."""
        if len(string) <= KEPT_ENTRY:
            with suppress(OSError):
                self._prepare()
                super().store_string(string)

    def _prepare(self) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.fchmod(fd, 0o600)
            size = os.fstat(fd).st_size
            if size > KEPT_FILE:
                kept = os.pread(fd, KEPT_FILE // 2, size - KEPT_FILE // 2)
                # An entry starts after an empty line; what stands before the first one is half an entry.
                kept = kept[kept.find(b"\n\n") + 1 :]
                os.pwrite(fd, kept, 0)
                os.ftruncate(fd, len(kept))
        finally:
            os.close(fd)
