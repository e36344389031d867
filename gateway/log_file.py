"""One log file: private, of bounded size, shared safely by the processes of one home folder."""

import fcntl
import os
from pathlib import Path

from gateway.home import FILE_MODE


class LogFile:
    """Appends whole lines. At `max_bytes` the file becomes NAME.1, what was NAME.1 becomes NAME.2, up to `rotations`.

    Each line is one write to a file opened for appending, so lines of several processes never mix. A process that finds
    its file renamed by another one goes on in the new one. Raises OSError when the disk does not take a line.
    """

    def __init__(self, path: Path, *, max_bytes: int, rotations: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._rotations = rotations
        self._descriptor: int | None = None

    def write(self, lines: str) -> None:
        """Append whole lines, their ends included."""
        encoded = lines.encode("utf-8", "backslashreplace")
        descriptor = self._opened()
        if self._full(descriptor, len(encoded)):
            descriptor = self._rotated(descriptor)
        while encoded:
            encoded = encoded[os.write(descriptor, encoded) :]

    def flush(self) -> None:
        """Nothing to do: a line is the system's as soon as it is written."""

    def sync(self) -> None:
        """Return when everything is on the disk."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Let the file go; a later write opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _opened(self) -> int:
        if self._descriptor is not None and not self._is_current(self._descriptor):
            self.close()
        if self._descriptor is None:
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        return self._descriptor

    def _is_current(self, descriptor: int) -> bool:
        """Whether the path still leads to the file that is open."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(descriptor))
        except FileNotFoundError:
            return False

    def _full(self, descriptor: int, more: int) -> bool:
        size = os.fstat(descriptor).st_size
        return size > 0 and size + more > self._max_bytes

    def _rotated(self, descriptor: int) -> int:
        """Rotate, unless another process was first: whoever holds the lock looks again before it renames."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if self._is_current(descriptor):
                self._shift()
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        return self._opened()

    def _shift(self) -> None:
        if self._rotations == 0:
            self._path.unlink()
            return
        for number in range(self._rotations, 0, -1):
            older = self._path if number == 1 else self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")
