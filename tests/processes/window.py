"""A person at a terminal: types keys, reads the screen."""

import asyncio
import codecs
import fcntl
import os
import pty
import struct
import termios
from collections.abc import Callable
from contextlib import suppress

from tests.fakes.platform import Changes
from tests.processes.started import PATIENCE_S, Process
from tests.unit.terminal.vt import Drawn

CTRL_C = "\x03"
CTRL_D = "\x04"
ENTER = "\r"
READY = "\n>"


class Screen:
    """The person's side of a pseudo-terminal. `slave` is for the process; what it writes is drawn."""

    def __init__(self, *, columns: int = 100, rows: int = 40) -> None:
        self.drawn = Drawn(columns, rows)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._changes = Changes()
        self._master, self.slave = pty.openpty()
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def given(self) -> None:
        """The process has the other side now; when it ends, that side is closed."""
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def close(self) -> None:
        """The terminal is gone: whoever is on it gets a hang-up."""
        self.given()
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1

    def types(self, text: str) -> None:
        """Keys."""
        os.write(self._master, text.encode())

    def text(self) -> str:
        """All lines, those that scrolled off included."""
        return "\n".join(self.drawn.lines())

    async def until(self, true: Callable[[str], bool], what: str) -> None:
        """Wait until it is true of the text."""
        await self._changes.until(
            lambda: true(self.text()), within=PATIENCE_S, otherwise=lambda: f"never {what}; the screen:\n{self.text()}"
        )

    def _read(self) -> None:
        # When the last process on it has gone, reading a terminal is an error on some systems and its end on others.
        data = b""
        with suppress(OSError):
            data = os.read(self._master, 65_536)
        if not data:
            asyncio.get_running_loop().remove_reader(self._master)
        self.drawn.write(self._decoder.decode(data))
        if self.drawn.asked_position:
            self.drawn.asked_position = False
            self.types(self.drawn.position())
        self._changes.happened()


class Window:
    """A process on a screen of its own."""

    def __init__(self, screen: Screen, process: Process) -> None:
        self.screen = screen
        self.process = process

    def says(self, *texts: str) -> None:
        """Messages, each with Enter."""
        self.screen.types("".join(text + ENTER for text in texts))

    def presses(self, *keys: str) -> None:
        """Keys alone."""
        self.screen.types("".join(keys))

    async def shows(self, *wanted: str) -> None:
        """Wait until all of this stands on the screen."""
        await self.screen.until(lambda text: all(one in text for one in wanted), f"showed {wanted}")

    async def hides(self, unwanted: str) -> None:
        """Wait until this stands nowhere on it."""
        await self.screen.until(lambda text: unwanted not in text, f"hid {unwanted!r}")

    async def has(self, *lines: str) -> None:
        """Wait until each of these is a line of the screen, once, and in this order."""

        def stands(_: str) -> bool:
            return [line for line in map(str.strip, self.screen.drawn.lines()) if line in lines] == list(lines)

        await self.screen.until(stands, f"had {lines}, once each")

    async def is_left(self) -> int:
        """By Ctrl-D; gives the exit code."""
        self.presses(CTRL_D)
        return await self.process.ended()
