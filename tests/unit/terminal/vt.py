"""A terminal on a real pseudo-terminal: it draws what a program writes, and types what a test says."""

import asyncio
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.fakes.platform import Changes

SEQUENCE = re.compile(r"\x1b\[([?>]?)([0-9;]*)([ -/]*)([@-~])|\x1b[()][A-Z0-9]|\x1b[=>78cM]")
PASTE = ("\x1b[200~", "\x1b[201~")


class Drawn:
    """The grid of characters and what scrolled off above it; colours are not kept."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.gone: list[str] = []
        self.asked_position = False
        self._grid = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0
        self._wraps = True
        self._held = ""

    def lines(self) -> list[str]:
        """Everything from the first line on, trailing blanks and empty lines below left out."""
        shown = self.gone + ["".join(row).rstrip() for row in self._grid]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def write(self, text: str) -> None:
        """Draw it; a sequence that is cut at the end waits for its rest."""
        text, at = self._held + text, 0
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if found is None:
                    break
                self._obey(found)
                at = found.end()
            else:
                self._put(text[at])
                at += 1
        self._held = text[at:]

    def position(self) -> str:
        """The answer to a question for the cursor's place."""
        return f"\x1b[{self._y + 1};{self._x + 1}R"

    def resize(self, columns: int, rows: int) -> None:
        """Cut or fill up; lines are not broken anew, and what is empty below the cursor goes first."""
        self._grid = [(row + [" "] * columns)[:columns] for row in self._grid]
        self._grid += [[" "] * columns for _ in range(rows - len(self._grid))]
        while len(self._grid) > max(rows, self._y + 1):
            self._grid.pop()
        while len(self._grid) > rows:
            self.gone.append("".join(self._grid.pop(0)).rstrip())
            self._y -= 1
        self.columns, self.rows = columns, rows
        self._x = min(self._x, columns - 1)

    def _put(self, char: str) -> None:
        if char == "\r":
            self._x = 0
        elif char == "\n":
            self._down()
        elif char == "\b":
            self._x = max(0, self._x - 1)
        elif char >= " ":
            if self._x >= self.columns and self._wraps:
                self._x = 0
                self._down()
            self._x = min(self._x, self.columns - 1)
            self._grid[self._y][self._x] = char
            self._x += 1

    def _down(self) -> None:
        if self._y + 1 < self.rows:
            self._y += 1
            return
        self.gone.append("".join(self._grid.pop(0)).rstrip())
        self._grid.append([" "] * self.columns)

    def _obey(self, found: re.Match[str]) -> None:
        private, numbers, _, final = found.groups()
        count = int((numbers or "").split(";")[0] or 0)
        steps = {"A": (0, -1), "B": (0, 1), "C": (1, 0), "D": (-1, 0)}
        if final in steps:
            across, down = steps[final]
            self._go(self._x + across * max(1, count), self._y + down * max(1, count))
        elif final == "J" and count == 0:
            self._erase_down()
        elif final == "K":
            self._grid[self._y][self._x :] = [" "] * (self.columns - self._x)
        elif final == "n":
            self.asked_position = True
        elif private == "?" and count == 7:
            self._wraps = final == "h"

    def _go(self, x: int, y: int) -> None:
        self._x = min(max(0, x), self.columns - 1)
        self._y = min(max(0, y), self.rows - 1)

    def _erase_down(self) -> None:
        self._grid[self._y][self._x :] = [" "] * (self.columns - self._x)
        for row in range(self._y + 1, self.rows):
            self._grid[row] = [" "] * self.columns


class FakeTerminal:
    """The person's side of a pseudo-terminal. `raw` is every byte that the program wrote.

    A thread takes what is written, as a terminal is a process of its own: a program may write more than fits at once.
    """

    def __init__(self, *, columns: int = 60, rows: int = 24) -> None:
        self.drawn = Drawn(columns, rows)
        self.raw = b""
        self._changes = Changes()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._master, self.slave = pty.openpty()
        self._asleep, self._bell = os.pipe()
        self._thread = threading.Thread(target=self._takes, args=(asyncio.get_running_loop(),), daemon=True)
        self._size(columns, rows)

    @contextmanager
    def opened(self) -> Iterator["FakeTerminal"]:
        """Draws as long as the block lasts."""
        self._thread.start()
        try:
            yield self
        finally:
            self.hangs_up()
            for fd in (self.slave, self._asleep, self._bell):
                with suppress(OSError):
                    os.close(fd)

    def hangs_up(self) -> None:
        """The person's side goes away; a program that still writes gets an error."""
        if self._master >= 0:
            os.write(self._bell, b".")
            self._thread.join()
            os.close(self._master)
            self._master = -1

    def types(self, text: str) -> None:
        """Keys, Enter being a carriage return."""
        os.write(self._master, text.encode())

    def pastes(self, text: str) -> None:
        """As a terminal sends it: newlines as carriage returns, marked at both ends."""
        self.types(PASTE[0] + text.replace("\n", "\r") + PASTE[1])

    def resizes(self, columns: int, rows: int) -> None:
        """The window's owner pulls at its corner."""
        self.drawn.resize(columns, rows)
        self._size(columns, rows)
        os.kill(os.getpid(), signal.SIGWINCH)

    def text(self) -> str:
        """All lines, those that scrolled off included."""
        return "\n".join(self.drawn.lines())

    async def shows(self, *wanted: str) -> list[str]:
        """Wait until all of this stands on the terminal; gives its lines."""
        await self.until(lambda text: all(part in text for part in wanted), f"showed {wanted}")
        return self.drawn.lines()

    async def stands(self, *lines: str) -> None:
        """Wait until exactly these lines stand on it, from the first on."""
        await self.until(lambda text: text == "\n".join(lines), f"came to {lines}")

    async def hides(self, unwanted: str) -> list[str]:
        """Wait until this stands nowhere any more; gives the lines."""
        await self.until(lambda text: unwanted not in text, f"hid {unwanted!r}")
        return self.drawn.lines()

    async def until(self, true: Callable[[str], bool], what: str) -> None:
        """Wait until it is true of the text."""
        await self._changes.until(
            lambda: true(self.text()),
            within=30,
            otherwise=lambda: f"the terminal never {what}; it shows:\n{self.text()}",
        )

    def _takes(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            ready, _, _ = select.select([self._master, self._asleep], [], [])
            if self._asleep in ready:
                return
            with suppress(OSError):
                loop.call_soon_threadsafe(self._draws, os.read(self._master, 65_536))

    def _draws(self, data: bytes) -> None:
        self.raw += data
        self.drawn.write(self._decoder.decode(data))
        if self.drawn.asked_position and self._master >= 0:
            self.drawn.asked_position = False
            self.types(self.drawn.position())
        self._changes.happened()

    def _size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
