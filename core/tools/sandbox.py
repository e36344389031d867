"""The sandbox around a command: bubblewrap, with namespaces of its own for everything.

Inside are the system's programs, read-only, and the workspace. There is no network, no process but its own, no home
folder, no settings, store or logs, no socket of any service.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.tools.paths import UPLOADS

PROGRAMS = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
PROBE_S = 10
# What programs need of /etc; no file in it is secret.
_SETTINGS = (
    *("alternatives", "ca-certificates", "fonts", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
    *("localtime", "magic", "mime.types", "nsswitch.conf", "passwd", "pki/tls/certs", "ssl/certs", "ssl/openssl.cnf"),
)
_ISOLATED = (
    *("--die-with-parent", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
    *("--unshare-cgroup-try", "--hostname", "parley", "--cap-drop", "ALL"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """Where one command is confined: to its workspace, of whose uploads it sees those of its chat."""

    workspace: str
    cwd: str
    uploads: str


def wrapped(bwrap: str, inside: Confinement, command: tuple[str, ...]) -> tuple[str, ...]:
    """The words that run the command in the sandbox."""
    # Temporary folders first: the workspace may lie below one of them.
    scratch = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run")  # noqa: S108 - inside
    return (
        bwrap,
        *_ISOLATED,
        *_system(),
        *scratch,
        *_files(inside),
        "--remount-ro",
        "/",
        "--chdir",
        inside.cwd,
        "--",
        *command,
    )


def _system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for folder in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(folder):
            yield from ("--symlink", os.readlink(folder), folder)
        elif os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
    for name in _SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _files(inside: Confinement) -> Iterator[str]:
    yield from ("--bind", inside.workspace, inside.workspace)
    all_uploads = f"{inside.workspace}/{UPLOADS}"
    if inside.uploads != all_uploads:
        yield from ("--tmpfs", all_uploads)
        if inside.uploads.startswith(f"{all_uploads}/") and os.path.isdir(inside.uploads):
            yield from ("--bind", inside.uploads, inside.uploads)


@cache
def trouble(bwrap: str | None) -> str:
    """Why the sandbox does not work on this machine; empty when it does. Tried once in a process."""
    if bwrap is None:
        return "bubblewrap (bwrap) is not installed"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [bwrap, *_ISOLATED, *_system(), "--proc", "/proc", "--dev", "/dev", "--", "/usr/bin/true"],
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"bubblewrap does not start ({exc})"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else f"bubblewrap does not work here ({said[0] if said else 'no reason given'})"


def installed() -> str | None:
    """The program, from the system's own folders only."""
    return next((path for path in PROGRAMS if Path(path).is_file() and os.access(path, os.X_OK)), None)
