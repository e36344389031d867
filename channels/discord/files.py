"""Files on their way in and out of the workspace."""

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from channels.discord.fields import Json, text

# Where Discord itself keeps what people send; a server of one's own keeps it where its API is.
HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
MOST_IN = 25_000_000
MIB = 1024 * 1024
MOST_OUT = 10 * MIB
BOOSTED = {2: 50 * MIB, 3: 100 * MIB}
LONGEST_NAME = 120
_UNSAFE = re.compile(r"[^\w.+ -]+")


def most_out(boost: int) -> int:
    """The largest file that a guild takes from a bot, by its tier."""
    return BOOSTED.get(boost, MOST_OUT)


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


def source_of(told: Json, api_url: str) -> str | None:
    """The address of an attachment, exactly as it was given; None where it leads to nobody that we know."""
    url = text(told, "url") or ""
    with suppress(ValueError):
        found, ours = urlsplit(url), urlsplit(api_url)
        same = (found.scheme, found.netloc) == (ours.scheme, ours.netloc)
        if same or (found.scheme == "https" and found.netloc in HOSTS):
            return url
    return None


def store_in(folder: Path, attachment_id: str, name: str, data: bytes) -> Path:
    """Written under a name of its own that says nothing about paths; the same attachment is the same file."""
    safe = _UNSAFE.sub("_", f"{attachment_id}-{name}")[-LONGEST_NAME:].lstrip(".- ") or "file"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / safe
    part = folder / f".{safe}.part"
    part.write_bytes(data)
    part.replace(path)
    return path
