"""Reading the files of an agent: only regular ones, only inside the agents folders, and only when they changed."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from core.domain.errors import SettingsError

LARGEST_FILE: Final = 256_000

Stamp = tuple[int, int, int]


class Reading:
    """What one load read, and what it looked for and did not find: when none of that changed, its result still holds.

    Earlier roots win over later ones.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)
        self._seen: dict[Path, Stamp | None] = {}

    @property
    def seen(self) -> Mapping[Path, Stamp | None]:
        """Each path with what it was; None where nothing was."""
        return self._seen

    def find(self, name: str) -> Path | None:
        """The first root that has it. Raises SettingsError for a way out of the roots: `..`, absolute, a link."""
        parts = name.split("/")
        if not all(parts) or {"..", "."} & set(parts) or "\\" in name or "\0" in name:
            raise SettingsError("must be a path inside the agents folder, such as common/core_rules.md")
        for root in self._roots:
            path = root.joinpath(*parts)
            self._seen[path] = stamp(path)
            if self._seen[path] is not None:
                _inside(path, root)
                return path
        return None

    def look(self, path: Path) -> None:
        """Whether anything comes into this folder, or goes out of it, decides about the result too."""
        self._seen[path] = stamp(path)

    def read(self, path: Path) -> str:
        """The text of a file that `find` gave. Raises SettingsError with what to change about it."""
        try:
            # Looked at first: opening a pipe would wait for its writer.
            if not stat.S_ISREG(path.stat().st_mode):
                raise SettingsError(f"{path} is not a file: put a text file there")
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                found = os.fstat(descriptor)
                if found.st_size > LARGEST_FILE:
                    raise SettingsError(f"{path} is larger than {LARGEST_FILE // 1000} kB: shorten it")
                self._seen[path] = _stamp_of(found)
                return file.read(LARGEST_FILE).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise SettingsError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error
        except OSError as error:
            reason = (error.strerror or "error").lower()
            raise SettingsError(f"{path} cannot be read ({reason}): make it readable for this user") from error


def stamp(path: Path) -> Stamp | None:
    """What the path is now, a link followed; None when nothing is there."""
    try:
        return _stamp_of(path.stat())
    except (OSError, ValueError):
        return None


def _stamp_of(found: os.stat_result) -> Stamp:
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _inside(path: Path, root: Path) -> None:
    if not path.resolve().is_relative_to(root.resolve()):
        raise SettingsError(f"{path} is a link out of {root}: put the file itself there")
