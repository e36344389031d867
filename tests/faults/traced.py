"""What a process does with its files, call by call: run under `strace`, which can also make a call fail."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.processes.started import ROOT

SYNCS = ("fsync", "fdatasync")
CALLS = ("pwrite64", "write", "ftruncate", "unlink", *SYNCS)
# More than a page, so that no write is shortened in the log.
LONGEST = 70_000

_LINE = re.compile(r"^(\d+) +(<\.\.\. (\w+) resumed>)?(.*)$")
_CALL = re.compile(r'^(\w+)\((?:(\d+)<([^>]*)>|"([^"]*)")?(?:, )?(?:"([^"]*)"(\.\.\.)?)?(?:, )?(.*)\) += (-?\d+)')
_UNFINISHED = " <unfinished ...>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, at the moment when it returned. `path` is the file's, `data` what was written, `numbers` the rest."""

    name: str
    path: str
    data: bytes
    numbers: tuple[int, ...]
    result: int


def traced(arguments: Sequence[str], log: Path, *, failing_sync: int) -> Sequence[Call]:
    """Run a module of Python to its end; in each thread the sync of this number fails."""
    command = [*failing(failing_sync, log), sys.executable, "-m", *arguments]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return tuple(_calls(log.read_text(encoding="ascii")))


def failing(number: int, log: Path) -> Sequence[str]:
    """What stands before a command, to log its calls and to make the sync of this number an input/output error."""
    inject = f"inject={','.join(SYNCS)}:error=EIO:when={number}"
    options = ("-f", "-qq", "--seccomp-bpf", "-y", "-xx", "-s", str(LONGEST), "-e", "signal=none")
    return ("strace", *options, "-e", f"trace={','.join(CALLS)}", "-e", inject, "-o", str(log))


def _calls(log: str) -> Iterator[Call]:
    begun: dict[str, str] = {}
    for line in log.splitlines():
        found = _LINE.match(line)
        assert found, f"cannot be read: {line[:200]}"
        thread, resumed, _, rest = found.groups()
        if rest.endswith(_UNFINISHED):
            begun[thread] = rest.removesuffix(_UNFINISHED)
            continue
        call = _CALL.match(begun.pop(thread) + rest if resumed else rest)
        # What a dying process did not bring to its end has no result.
        if call:
            yield _call(call)


def _call(found: re.Match[str]) -> Call:
    name, _, path, named, data, cut, numbers, result = found.groups()
    assert not cut, "a write is shortened in the log"
    return Call(
        name=name,
        path=_text(path or named or "").decode(),
        data=_text(data or ""),
        numbers=tuple(int(number) for number in re.findall(r"\d+", numbers)),
        result=int(result),
    )


def _text(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal.replace(r"\x", ""))
