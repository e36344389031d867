"""Files of a reply, read from the workspace: by name below it, never through a link, never more than the limit."""

import os
import stat
from pathlib import Path, PurePosixPath

from core.domain.errors import Unacceptable

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


def contents(workspace: Path, path: str, most: int) -> bytes:
    """The whole file. Raises Unacceptable for what is no plain file of the workspace, and for what is too large.

    Every folder on the way is opened by the one before, so that no link that appears meanwhile leads outside.
    """
    steps = PurePosixPath(path).parts
    if not steps or PurePosixPath(path).is_absolute() or ".." in steps or "\0" in path:
        raise Unacceptable(f"{path!r} is no file of the workspace")
    try:
        return _read(_opened(workspace, steps), path, most)
    except OSError as exc:
        raise Unacceptable(f"{path} cannot be read: {exc.strerror}") from exc


def _opened(workspace: Path, steps: tuple[str, ...]) -> int:
    folder = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for step in steps[:-1]:
        try:
            inner = os.open(step, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    try:
        return os.open(steps[-1], _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _read(descriptor: int, path: str, most: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise Unacceptable(f"{path} is no plain file")
        data = file.read(most + 1)
    if len(data) > most:
        raise Unacceptable(f"{path} is larger than {most // 1_000_000} MB, which is all that Telegram takes here")
    return data
