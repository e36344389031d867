"""The machine: rights of the home folder, room on the disk, and a sandbox for commands."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from core.tools.sandbox import installed, trouble
from gateway.findings import Found, fault, good, warning
from gateway.home import FILE_MODE, FOLDER_MODE
from gateway.settings import Settings

MEGABYTE: Final = 1_000_000
LOW: Final = 1_000 * MEGABYTE
NONE_LEFT: Final = 100 * MEGABYTE

Free = Callable[[Path], int]


def free(path: Path) -> int:
    """Bytes that this user can still write there."""
    return shutil.disk_usage(path).free


def machine(settings: Settings, free: Free) -> Iterator[Found]:
    """Each thing, good or not."""
    yield from _rights(settings)
    yield from _room(settings.home.path, free(settings.home.path))
    yield from _sandbox(settings)


def _rights(settings: Settings) -> Iterator[Found]:
    home = settings.home.path
    private = [home, settings.home.logs, settings.home.workspace, settings.file]
    private += [settings.database.with_name(settings.database.name + end) for end in ("", "-wal", "-shm")]
    open_ones = [path for path in private if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    for path in open_ones:
        mode = FOLDER_MODE if path.is_dir() else FILE_MODE
        what = f"{path} is open to other users ({stat.S_IMODE(path.stat().st_mode):04o})"
        yield fault("home", what, f"run chmod {mode:o} {path}", partial(path.chmod, mode))
    for path in (home, settings.home.workspace, settings.home.logs):
        if not os.access(path, os.W_OK | os.X_OK):
            yield fault("home", f"{path} cannot be written", f"give it to this user: chown {os.geteuid()} {path}")
    if not open_ones:
        yield good("home", f"{home} is private")


def _room(home: Path, free: int) -> Iterator[Found]:
    what = f"{free // MEGABYTE} MB are free below {home}"
    fix = "make room, or set PARLEY_HOME to a folder on a larger disk"
    if free < NONE_LEFT:
        yield fault("disk", what, fix)
    elif free < LOW:
        yield warning("disk", what, fix)
    else:
        yield good("disk", what)


def _sandbox(settings: Settings) -> Iterator[Found]:
    if settings.run_command.sandbox == "none":
        what = "commands run without a sandbox: they see and change whatever this user may"
        yield warning("sandbox", what, 'set tools.run_command.sandbox = "bubblewrap"')
    elif why := trouble(installed()):
        fix = 'install bubblewrap, or set tools.run_command.sandbox = "none" where the whole machine is one'
        yield warning("sandbox", f"no command runs: {why}", fix)
    else:
        yield good("sandbox", "commands run in bubblewrap")
