"""Real pipes around a channel, for tests that write into one end and read what came out of the others."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from channels.terminal.channel import TerminalChannel
from channels.terminal.inbound import chat_of
from channels.terminal.lines import Lines
from channels.terminal.pipes import Argument, Pipes, Stream
from channels.terminal.reader import Reader
from core.domain.texts import Texts
from tests.unit.terminal.desk import StillClock

LIMIT = 1_000


class Pipe:
    """One pipe; each end can be closed once, and again without harm."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()

    def write(self, data: bytes) -> None:
        """What fits into a pipe at once."""
        os.write(self.write_end, data)

    def text(self) -> str:
        """What lies in it now."""
        os.set_blocking(self.read_end, False)
        with suppress(BlockingIOError):
            return os.read(self.read_end, 1_000_000).decode()
        return ""

    async def reads(self) -> str:
        """What comes next, and until then nothing."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self.read_end, ready.set)
        try:
            await asyncio.wait_for(ready.wait(), 5)
        finally:
            loop.remove_reader(self.read_end)
        return self.text()

    def close_reading(self) -> None:
        """Nobody reads it any more."""
        if self.read_end >= 0:
            os.close(self.read_end)
            self.read_end = -1

    def close_writing(self) -> None:
        """Nothing more will come."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1


class Plumbing:
    """Standard input, output and error of a channel that is not a process of its own."""

    def __init__(self, *, attended: bool, whole: bool, source: Argument | Stream | None) -> None:
        self.stdin = Pipe()
        self.stdout = Pipe()
        self.stderr = Pipe()
        self.pipes = Pipes(
            source=source or Stream(self.stdin.read_end, Lines(limit=LIMIT, whole=whole)),
            output=self.stdout.write_end,
            errors=self.stderr.write_end,
            attended=attended,
            workspace=Path("/w"),
        )
        reader = Reader(chat=chat_of("ann", "default"), clock=StillClock(), window="w", limit=LIMIT, texts=Texts({}))
        self.channel = TerminalChannel(reader=reader, terminal=self.pipes)

    def types(self, data: bytes, *, ends: bool = True) -> None:
        """Into the standard input, which ends after it."""
        self.stdin.write(data)
        if ends:
            self.stdin.close_writing()

    def close(self) -> None:
        """All of it."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close_reading()
            pipe.close_writing()


@contextmanager
def plumbing(
    *, attended: bool = False, whole: bool = False, source: Argument | Stream | None = None
) -> Iterator[Plumbing]:
    """For as long as the block lasts. `attended`: a person sees the standard error; `source`: instead of the input."""
    laid = Plumbing(attended=attended, whole=whole, source=source)
    try:
        yield laid
    finally:
        laid.close()
