"""A process that has loaded everything and forks gateways: each is a process of its own, without seconds of imports.

Run as `python -m tests.processes.nursery SOCKET`. One connection is one gateway: a line of JSON comes with the three
descriptors that become its standard streams; its process id goes back at once and, when it has ended, its exit code,
negative for a signal as `subprocess` gives it. A number that comes later is a signal for it; a connection that closes
kills it. The nursery ends when its standard input does.
"""

import asyncio
import fcntl
import gc
import importlib
import importlib.util
import io
import json
import os
import resource
import selectors
import signal
import socket
import sys
import termios
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import NoReturn

from core.models.litellm import ENVIRONMENT, Library
from gateway.cli import VERBS, run

LOADED = ("litellm", "core.store.migrate", "channels.terminal.attended", *(verb.module for verb in VERBS.values()))
LONGEST = 65_536
INPUT, OUTPUT, ERRORS = range(3)
# What an interpreter ends with when the last of the output could not be written.
FLUSH_FAILED = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a gateway is started with.

    `closed` names the standard streams that it does not have. `file_bytes` bounds every file that it writes, as a
    quota does.
    """

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    closed: Sequence[int] = ()
    file_bytes: int | None = None

    def text(self) -> str:
        """One line."""
        return json.dumps(asdict(self)) + "\n"


class Nursery:
    """Forks in the one thread that it has, so that no child finds a lock held by a thread that it does not have."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(64)
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._children: dict[int, socket.socket] = {}

    def serve(self) -> Order | None:
        """In a child this returns the child's order; in the nursery None, at the end."""
        signal.set_wakeup_fd(self._wake.fileno())
        before = signal.signal(signal.SIGCHLD, lambda number, frame: None)
        order = self._until_born()
        if order is not None:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, before)
            for one in (self._listener, self._woken, self._wake, *self._children.values()):
                one.close()
        return order

    def _until_born(self) -> Order | None:
        with selectors.DefaultSelector() as ready:
            for source in (self._listener, self._woken, sys.stdin):
                ready.register(source, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is sys.stdin:
                        return None
                    if key.fileobj is self._listener and (order := self._bear(ready)):
                        return order
                    if key.fileobj is self._woken:
                        self._woken.recv(LONGEST)
                        self._bury(ready)
                    elif key.data in self._children:
                        self._hear(key.data, ready)

    def _bear(self, ready: selectors.BaseSelector) -> Order | None:
        connection, _ = self._listener.accept()
        line, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
        child = os.fork()
        if not child:
            connection.close()
            for target, stream in enumerate(streams):
                os.dup2(stream, target)
        for stream in streams:
            os.close(stream)
        if not child:
            return Order(**json.loads(line))
        self._children[child] = connection
        ready.register(connection, selectors.EVENT_READ, child)
        connection.sendall(f"{child}\n".encode())
        return None

    def _hear(self, child: int, ready: selectors.BaseSelector) -> None:
        """The child is not buried yet, so its number is still its own."""
        wanted = self._children[child].recv(LONGEST)
        if not wanted:
            ready.unregister(self._children[child])
            os.kill(child, signal.SIGKILL)
        for number in wanted.split():
            os.kill(child, int(number))

    def _bury(self, ready: selectors.BaseSelector) -> None:
        for child, connection in tuple(self._children.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                del self._children[child]
                with suppress(KeyError):
                    ready.unregister(connection)
                with connection, suppress(BrokenPipeError):
                    connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def become(order: Order) -> None:
    """Be a process that was just started with this order."""
    os.setsid()
    if os.isatty(INPUT):
        fcntl.ioctl(INPUT, termios.TIOCSCTTY, 0)
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    if order.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_bytes, order.file_bytes))
    for stream in order.closed:
        os.close(stream)
    sys.stdin = sys.__stdin__ = _stream(order, INPUT)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(order, OUTPUT)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(order, ERRORS)  # type: ignore[misc]
    sys.argv = ["parley", *order.arguments]


def perform(order: Order) -> int:
    """Run the command line; gives its exit code, whichever way it ends."""
    try:
        return run(order.arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


def leave(code: int) -> NoReturn:
    """End as an interpreter does, but do not take it down: that would copy every page of the nursery's memory."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                code = FLUSH_FAILED
    os._exit(code)


def _stream(order: Order, number: int) -> io.TextIOWrapper | None:
    """As an interpreter makes it at its start; a stream that it does not have is None there."""
    if number in order.closed:
        return None
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    buffered = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    errors = "backslashreplace" if number == ERRORS else "strict"
    return io.TextIOWrapper(buffered, "utf-8", errors, line_buffering=number == ERRORS or raw.isatty())


def load() -> None:
    """Import what any gateway may need, what the model library loads with its first call included."""
    os.environ.update(ENVIRONMENT)
    for name in LOADED:
        importlib.import_module(name)
    for name in _of_the_first_call():
        importlib.import_module(name)


def _of_the_first_call() -> Sequence[str]:
    """Found out by a child: the call itself may leave something behind that no fork should inherit."""
    told, tells = os.pipe()
    if not os.fork():
        before = set(sys.modules)
        asyncio.run(Library().warm())
        os.write(tells, json.dumps([name for name in sys.modules if name not in before]).encode())
        os._exit(0)
    os.close(tells)
    with open(told, encoding="utf-8") as found:
        return [name for name in json.load(found) if _can_be_found(name)]


def _can_be_found(name: str) -> bool:
    """Some modules are made by others and lie in no file."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


if __name__ == "__main__":
    load()
    gc.freeze()
    nursery = Nursery(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    ordered = nursery.serve()
    if ordered is not None:
        become(ordered)
        leave(perform(ordered))
