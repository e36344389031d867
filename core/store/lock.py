"""Locks that the kernel lets go with the process: who works on a file, which window shows a session."""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from core.domain.errors import StoreUnusable

PAUSE_S = 0.001


class FileLock:
    """One holder at a time, across processes. The file holds the holder's process id for whoever is refused."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self, patience_s: float = 0.0) -> bool:
        """Take the lock if it is free, or becomes so within `patience_s`, which blocks the thread.

        A few milliseconds of patience outlast everybody who only looks whether it is taken.
        """
        until = time.monotonic() + patience_s
        while not (taken := self._take(fcntl.LOCK_NB)) and time.monotonic() < until:
            time.sleep(PAUSE_S)
        return taken

    def wait(self) -> None:
        """Take the lock, however long its holder keeps it; blocks the thread."""
        self._take(0)

    def _take(self, flag: int) -> bool:
        if self._descriptor is not None:
            return True
        try:
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as exc:
            raise StoreUnusable(
                f"{self._path}: cannot lock ({exc.strerror}): check the folder's owner and mode"
            ) from exc
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | flag)
        except BlockingIOError:
            os.close(descriptor)
            return False
        # A full disk takes no number; the lock holds all the same.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor
        return True

    def taken(self) -> bool:
        """Whether somebody else holds it right now. A look keeps others from taking it for some microseconds."""
        if self.held or not self._path.exists():
            return False
        descriptor = os.open(self._path, os.O_RDONLY)
        try:
            # Shared, so that two who look do not take each other for a holder.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def holder(self) -> int | None:
        """The process id that the holder wrote."""
        try:
            text = self._path.read_text()
        except OSError:
            return None
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Let go; the file stays, since removing it would race with the next holder."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
