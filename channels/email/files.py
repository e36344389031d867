"""Files of mails on their way in and out of the workspace."""

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from channels.email.body import File
from channels.email.threads import mark
from core.domain.message import Attachment

LONGEST_NAME = 120
MOST_IN = 25_000_000
_UNSAFE = re.compile(r"[^\w.+ -]+")


def read_out(workspace: Path, path: str, most: int) -> bytes | None:
    """A file of the workspace, None for one that is larger. Raises OSError for what is no plain file inside it."""
    root = workspace.resolve()
    whole = (root / path).resolve()
    if not whole.is_relative_to(root):
        raise PermissionError(f"{path} is not inside the workspace")
    descriptor = os.open(whole, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise IsADirectoryError(f"{path} is no plain file")
        data = file.read(most + 1)
    return data if len(data) <= most else None


def kept(
    folder: Path, workspace: Path, key: str, files: Sequence[File], mail: File | None, caption: str
) -> tuple[Attachment, ...]:
    """Every file of a mail under a name of its own, the same for the same mail; one that cannot be kept is named."""
    found = [_kept(folder, workspace, f"{mark(key)[:8]}-{number}", one, "") for number, one in enumerate(files, 1)]
    if mail is not None:
        found.append(_kept(folder, workspace, f"{mark(key)[:8]}-0", mail, caption))
    return tuple(found)


def _kept(folder: Path, workspace: Path, prefix: str, file: File, caption: str) -> Attachment:
    path = None
    if len(file.data) <= MOST_IN:
        try:
            path = _stored(folder, f"{prefix}-{file.name}", file.data).relative_to(workspace).as_posix()
        except (OSError, ValueError):
            path = None
    return Attachment(name=file.name, media_type=file.media_type, size=len(file.data), path=path, caption=caption)


def _stored(folder: Path, name: str, data: bytes) -> Path:
    safe = _UNSAFE.sub("_", name)
    stem, dot, suffix = safe.rpartition(".")
    safe = f"{stem[: LONGEST_NAME - 12]}.{suffix[:10]}" if dot and stem else safe[:LONGEST_NAME]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / (safe.strip(". ") or "file")
    part = folder / f".{path.name}.part"
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(data)
    part.replace(path)
    return path
