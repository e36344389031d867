"""Processes as a test holds them: their id, signals to them, and how they ended."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.processes.nursery import Order

PATIENCE_S = 20.0
QUICK_S = 3.0
ROOT = Path(__file__).resolve().parents[2]

Streams = tuple[int, int, int]


class Process:
    """One process that was started. Once it has ended, signals to it go nowhere."""

    def __init__(self, pid: int, kill: Callable[[signal.Signals], None], wait: Callable[[], Awaitable[int]]) -> None:
        self.pid = pid
        self._kill = kill
        self._wait = wait
        self._code: int | None = None

    def signals(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._kill(number)

    async def ended(self, within: float = PATIENCE_S) -> int:
        """Its exit code, negative for a signal; fails when it goes on for longer."""
        if self._code is None:
            try:
                async with asyncio.timeout(within):
                    self._code = await self._wait()
            except TimeoutError:
                raise AssertionError(f"process {self.pid} did not end within {within:g} s") from None
        return self._code

    async def is_killed(self) -> None:
        """As `kill -9` does it; returns when it is gone."""
        if self._code is None:
            self.signals(signal.SIGKILL)
            await self.ended()


class Nursery:
    """The process that forks gateways, seen from a test."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def start(self, order: Order, streams: Streams) -> Process:
        """Fork one; the descriptors may be closed here afterwards."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self._path)
        socket.send_fds(connection, [order.text().encode()], streams)
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        pid = int(await reader.readline())

        async def wait() -> int:
            code = int(await reader.readline())
            writer.close()
            return code

        return Process(pid, lambda number: writer.write(f"{number.value}\n".encode()), wait)

    @classmethod
    @contextmanager
    def opened(cls, path: Path, module: str = "tests.processes.nursery") -> Iterator[Self]:
        """Runs as long as the block lasts; `module` says what its children are."""
        command = [sys.executable, "-m", module, str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield cls(str(path))


async def start_anew(order: Order, streams: Streams) -> Process:
    """The same without a nursery: a new interpreter that imports everything for itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gateway.cli", *order.arguments),
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        cwd=order.folder,
        env={**order.environment, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )

    def kill(number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            process.send_signal(number)

    return Process(process.pid, kill, process.wait)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a process that has ended left behind."""

    code: int
    output: str
    errors: str

    @property
    def complaint(self) -> str:
        """The one line on the standard error; fails when there are more, or none, or any output."""
        assert self.output == ""
        (line,) = self.errors.splitlines()
        return line


def environment_in(folder: Path) -> dict[str, str]:
    """The little that every process needs, for somebody who is at home in this folder."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PARLEY_HOME": str(folder / "parley"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
