"""Files of mails on their way in and out of the workspace."""

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the files of a conversation lie, and the workspace that this is part of."""

    folder: Path
    workspace: Path


def kept(place: Place, key: str, files: Sequence[File]) -> tuple[Attachment, ...]:
    """Every file of a mail under a name of its own, the same for the same mail; one that cannot be kept is named."""
    return tuple(_kept(place, f"{mark(key)[:8]}-{number}", one, _state(one)) for number, one in enumerate(files, 1))


def kept_whole(place: Place, key: str, subject: str, raw: bytes) -> Attachment:
    """A mail as it came, named after what it is about."""
    file = File(name=f"{subject[:60] or 'mail'}.eml", media_type="message/rfc822", data=raw)
    return _kept(place, f"{mark(key)[:8]}-0", file, f"the whole mail; subject: {subject}")


def _state(file: File) -> str:
    return "" if file.whole else "(arrived damaged)"


def _kept(place: Place, prefix: str, file: File, caption: str) -> Attachment:
    path = None
    if len(file.data) <= MOST_IN:
        with suppress(OSError, ValueError):
            path = _stored(place.folder, f"{prefix}-{file.name}", file.data).relative_to(place.workspace).as_posix()
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
