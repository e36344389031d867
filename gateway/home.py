"""The home folder: where it lies, that it exists, and that only its owner can read it."""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.domain.errors import SettingsError

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
WORKSPACE: Final = "workspace"
WORKSPACE_FOLDERS: Final = ("agents", "skills", "memory", "data", "uploads")
LOGS: Final = "logs"
WORKER_LOCK: Final = "worker.lock"
OURS: Final = re.compile(r"parley\..*|workspace|logs|models|[\w.@+-]+\.lock|history.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folder of one installation; every file of it is private to its owner."""

    path: Path
    notices: tuple[str, ...] = ()

    @property
    def workspace(self) -> Path:
        """The only folder that agents may touch."""
        return self.path / WORKSPACE

    @property
    def logs(self) -> Path:
        """Where the log files lie."""
        return self.path / LOGS

    @property
    def weights(self) -> Path:
        """Where the weights of the local model lie, once they were fetched."""
        return self.path / "models" / "local.gguf"


def home_path(environ: Mapping[str, str]) -> Path:
    """`PARLEY_HOME`, else `.parley` in the person's home folder; absolute."""
    named = environ.get("PARLEY_HOME", "")
    if not named:
        return _person(environ) / ".parley"
    if named == "~" or named.startswith("~/"):
        return _person(environ) / named[2:]
    return Path(named).absolute()


def open_home(path: Path) -> Home:
    """Make what is missing, and close what stands open to others. Raises SettingsError naming the folder."""
    try:
        notice = _private_folder(path)
        for folder in (path / WORKSPACE, *(path / WORKSPACE / name for name in WORKSPACE_FOLDERS), path / LOGS):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        where = error.filename or path
        reason = (error.strerror or "it cannot be used").lower()
        text = (
            f"{where} cannot be used as part of the home folder ({reason}): set PARLEY_HOME to a folder that is yours"
        )
        raise SettingsError(text) from error
    return Home(path=path, notices=(notice,) if notice else ())


def _person(environ: Mapping[str, str]) -> Path:
    named = environ.get("HOME", "")
    if not named:
        text = "neither PARLEY_HOME nor HOME is set: set PARLEY_HOME to the folder that Parley may use"
        raise SettingsError(text)
    return Path(named).absolute()


def _private_folder(path: Path) -> str | None:
    """Create the folder, or take others' rights from it if it is plainly ours alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        return _closed(path)
    return None


def _closed(path: Path) -> str | None:
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    if not mode & 0o077:
        return None
    # A folder that holds anything else (a home folder, /tmp) is not ours to close: people are told instead.
    foreign = [entry.name for entry in path.iterdir() if not OURS.fullmatch(entry.name)]
    if found.st_uid == os.geteuid() and not foreign and not mode & stat.S_ISVTX:
        path.chmod(FOLDER_MODE)
        return f"{path} was open to other users ({mode:04o}); it is now private (0700)"
    return f"{path} is open to other users ({mode:04o}): run chmod 700 on it, or set PARLEY_HOME to a folder of its own"
