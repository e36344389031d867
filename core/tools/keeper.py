"""Keeps one command: a program of its own between the gateway and whatever the command starts.

It is there because a process that was started can start others, leave their group and their session, and outlive all
that knew of it. The keeper adopts such orphans (Linux), so it can end every one of them: when the command has ended,
when its time is up, when the gateway says so by closing the keeper's input, and just the same when the gateway was
killed, since the kernel closes that input then.

Standard input: one line of JSON, the job, then nothing until it is closed. Standard output: the command's own output.
Standard error: one line of JSON when all is over.
"""

import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypedDict

TERM_S = 0.8  # what is asked to end has this long, then it is killed
KILL_S = 3.0  # how long the dead are waited for
PAUSE_S = 0.02
SPARED = "bwrap"  # the sandbox itself: when it ends, all inside is killed without being asked
_SUBREAPER, _DEATH_SIGNAL = 36, 1  # of prctl
LINUX = sys.platform.startswith("linux")
_LIBC = ctypes.CDLL(None)


class Job(TypedDict):
    """What to run. `folder` is an inherited descriptor of the folder to run in; `limits` are names of RLIMIT_."""

    argv: Sequence[str]
    executable: str
    env: Mapping[str, str]
    folder: int
    seconds: float
    limits: Mapping[str, int]
    processes: int


class Report(TypedDict):
    """How it ended; `status` is negative for a signal, as in subprocess."""

    status: int
    late: bool
    error: str


def main() -> None:
    """Run the job and leave nothing behind."""
    job: Job = json.loads(sys.stdin.buffer.readline())
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    if LINUX:
        _LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)
    os.umask(0o077)
    os.fchdir(job["folder"])
    report = _kept(job, woken)
    sys.stderr.write(json.dumps(report) + "\n")


def _kept(job: Job, woken: int) -> Report:
    limits = _limits(job)
    try:
        process = subprocess.Popen(  # noqa: S603 - this is what the keeper is for: a list of words, and no shell
            job["argv"],
            executable=job["executable"],
            env=dict(job["env"]),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: _confine(limits),
        )
    except OSError as exc:
        return Report(status=-1, late=False, error=f"{exc.strerror}: {exc.filename or job['executable']}")
    deadline = time.monotonic() + job["seconds"]
    status, late = None, False
    while status is None and not late:
        ready, _, _ = select.select([0, woken], [], [], max(0.0, deadline - time.monotonic()))
        if woken in ready:
            os.read(woken, 512)
            _bury(process.pid)
        late = time.monotonic() >= deadline
        status = process.poll()
        if 0 in ready and status is None:
            break
    if status is None:
        _ask_to_end(process.pid)
        status = process.poll()
    _end_all(process.pid)
    return Report(status=process.wait() if status is None else status, late=late, error="")


def _confine(limits: Sequence[tuple[int, int]]) -> None:
    """In the new process, before it becomes the command."""
    if LINUX:
        _LIBC.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    for limit, value in limits:
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (value, value))


def _limits(job: Job) -> Sequence[tuple[int, int]]:
    limits = [
        (number, value)
        for name, value in job["limits"].items()
        if (number := getattr(resource, f"RLIMIT_{name}", -1)) >= 0
    ]
    mine = sum(process.threads for process in _processes() if process.owner == os.getuid())
    # The kernel counts all that a person runs, not only what runs here.
    return [*limits, (resource.RLIMIT_NPROC, mine + job["processes"])] if mine else limits


def _ask_to_end(first: int) -> None:
    asked = [process.pid for process in _descendants() if process.name != SPARED]
    for pid in asked:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    if not LINUX:
        with suppress(ProcessLookupError):
            os.killpg(first, signal.SIGTERM)
    end = time.monotonic() + TERM_S
    while time.monotonic() < end and _works(first):
        time.sleep(PAUSE_S)


def _works(first: int) -> bool:
    """Whether anything but the sandbox is left."""
    if LINUX:
        return any(process.name != SPARED for process in _descendants())
    try:
        os.killpg(first, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _end_all(first: int) -> None:
    """Kill until nobody is left: what forks while it is being killed is killed in the next round."""
    end = time.monotonic() + KILL_S
    if not LINUX:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(first, signal.SIGKILL)
    while time.monotonic() < end and (left := _descendants()):
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(PAUSE_S / 4)
        _bury(first)


def _bury(first: int) -> None:
    """Take note of adopted orphans that have died; the command itself is left for `Popen`."""
    with suppress(ChildProcessError):
        while LINUX and (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
            if found.si_pid == first:
                return
            os.waitpid(found.si_pid, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One that runs somewhere on this machine."""

    pid: int
    parent: int
    name: str
    owner: int
    threads: int


def _descendants() -> list[Process]:
    """Every process below this one that still runs. Empty where there is no /proc."""
    children: dict[int, list[Process]] = {}
    for process in _processes():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found


def _processes() -> Iterator[Process]:
    if not LINUX:
        return
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError):
                owner = os.stat(f"/proc/{name}").st_uid
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    head, _, tail = file.read().rpartition(")")
                facts = tail.split()
                # A zombie holds nothing but its number.
                if facts[0] not in "ZX":
                    called = head.partition("(")[2]
                    yield Process(pid=int(name), parent=int(facts[1]), name=called, owner=owner, threads=int(facts[17]))


if __name__ == "__main__":
    main()
