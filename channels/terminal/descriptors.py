"""Reading and writing descriptors that other processes share, without blocking the loop and without changing them.

Their flags stay as they are: non-blocking mode belongs to the open file, so setting it here would break whoever else
reads the same input or writes to the same terminal.
"""

import asyncio
import errno
import os
import select
from collections.abc import Callable

CHUNK = 65_536


async def read(fd: int) -> bytes:
    """What has come in, at least one byte; none at the end of the input. A closed terminal is an end like any other."""
    while True:
        await _readable(fd)
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            continue
        except OSError as exc:
            if exc.errno in (errno.EIO, errno.EBADF):
                return b""
            raise


async def write(fd: int, data: bytes) -> None:
    """All of it. Raises OSError when nobody reads any more; cancelled between two pieces, the first have gone out."""
    rest = memoryview(data)
    while rest:
        await _writable(fd)
        try:
            # A pipe that is ready has room for this much, so the call does not block.
            rest = rest[os.write(fd, rest[: select.PIPE_BUF]) :]
        except BlockingIOError:
            continue


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    await _ready(fd, loop.add_reader, loop.remove_reader)


async def _writable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    await _ready(fd, loop.add_writer, loop.remove_writer)


async def _ready(fd: int, add: Callable[[int, Callable[[], None]], object], remove: Callable[[int], object]) -> None:
    ready = asyncio.Event()
    try:
        add(fd, ready.set)
    except PermissionError:
        # The kernel does not watch regular files and /dev/null: they are always ready. Let the others run, though.
        await asyncio.sleep(0)
        return
    except OSError as exc:
        if exc.errno == errno.EBADF:
            return  # the call that follows says so
        raise
    try:
        await ready.wait()
    finally:
        remove(fd)
