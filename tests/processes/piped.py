"""A process between pipes."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress

from tests.fakes.platform import Changes
from tests.processes.started import PATIENCE_S, Done, Process


class Pipe:
    """Collects what a process writes. `theirs` is for the process."""

    def __init__(self) -> None:
        self._ours, self.theirs = os.pipe()
        self._changes = Changes()
        self._data = b""
        self._ended = False
        self.goes_on()

    @property
    def text(self) -> str:
        """Everything so far."""
        return self._data.decode("utf-8", "replace")

    def goes_on(self) -> None:
        """Somebody reads it, as from the start."""
        asyncio.get_running_loop().add_reader(self._ours, self._read)

    def pauses(self) -> None:
        """Nobody reads it for a while: it fills up, and its writer waits."""
        asyncio.get_running_loop().remove_reader(self._ours)

    async def says(self, wanted: str) -> None:
        """Wait until this came."""
        await self._until(lambda: wanted in self.text, f"never said {wanted!r}")

    async def whole(self) -> str:
        """Wait until nobody can write any more."""
        await self._until(lambda: self._ended, "is still open")
        return self.text

    def close(self) -> None:
        """Read no more of it: whoever writes is told so."""
        if self._ours >= 0:
            self.pauses()
            os.close(self._ours)
            self._ours = -1
            self._ended = True

    async def _until(self, true: Callable[[], bool], what: str) -> None:
        await self._changes.until(true, within=PATIENCE_S, otherwise=lambda: f"{what}; it holds:\n{self.text}")

    def _read(self) -> None:
        data = os.read(self._ours, 65_536)
        self._data += data
        if not data:
            self._ended = True
            self.pauses()
        self._changes.happened()


class Piped:
    """A process with a pipe on its output and its errors, and on its input unless that is a file."""

    def __init__(self, process: Process, said: int, output: Pipe, errors: Pipe) -> None:
        self.process = process
        self.output = output
        self.errors = errors
        self._said = said

    async def says(self, text: str | bytes) -> None:
        """All of this, however slowly it is read; nothing when nobody reads any more."""
        data = text if isinstance(text, bytes) else text.encode()
        with suppress(BrokenPipeError):
            await asyncio.to_thread(_write_all, self._said, data)

    def says_no_more(self) -> None:
        """The end of the input."""
        if self._said >= 0:
            os.close(self._said)
            self._said = -1

    def close(self) -> None:
        """Let go of everything."""
        self.says_no_more()
        self.output.close()
        self.errors.close()

    async def done(self) -> Done:
        """End the input, and wait until it is dealt with."""
        self.says_no_more()
        code = await self.process.ended()
        return Done(code=code, output=await self.output.whole(), errors=await self.errors.whole())


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
