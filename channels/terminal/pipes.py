"""A terminal without a person in front: messages come from an argument or a pipe, only replies go to the output."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from channels.markup.controls import strip_controls
from channels.terminal import descriptors
from channels.terminal.lines import Lines
from channels.terminal.outbound import TerminalPart, words
from channels.terminal.screen import Take, Taken, TranscriptLine

PROGRESS_WIDTH = 78


class Argument:
    """A message that was given on the command line."""

    def __init__(self, text: str) -> None:
        self._left = [text]

    async def next(self) -> str | None:
        """The message, then None."""
        return self._left.pop() if self._left else None


class Stream:
    """The messages of an input; None instead of a descriptor is an input that was closed from the start.

    What was read and not yet asked for stays here when a reader is cancelled.
    """

    def __init__(self, fd: int | None, lines: Lines) -> None:
        self._fd = fd
        self._lines = lines
        self._ready: deque[str] = deque()

    async def next(self) -> str | None:
        """The next message; None at the end of the input, an open paste having been given before it."""
        while not self._ready:
            if self._fd is None:
                return None
            data = await descriptors.read(self._fd)
            if data:
                self._ready.extend(self._lines.feed(data))
            else:
                self._fd = None
                self._ready.extend(self._lines.end())
        return self._ready.popleft()


class Pipes:
    """Replies go to `output`, all else to `errors`; progress goes there too when a person sees it (`attended`)."""

    shows_drafts = False

    def __init__(
        self,
        *,
        source: Argument | Stream,
        output: int | None,
        errors: int | None,
        attended: bool,
        workspace: Path,
    ) -> None:
        self._source = source
        self._output = output
        self._errors = errors
        self._attended = attended
        self._workspace = workspace
        self._progress = ""
        self._writing = asyncio.Lock()

    async def read(self, take: Take, busy: Callable[[], bool]) -> bool:
        """Stops at the first message that could not be stored: what follows it may need it."""
        while True:
            try:
                line = await self._source.next()
            except OSError as exc:
                await self.notice(f"The input cannot be read: {exc}")
                return False
            if line is None or await take(line) is not Taken.STORED:
                return True

    async def show(self, part: TerminalPart) -> None:
        """Written whole, in the order of the calls."""
        if self._output is None:
            raise BrokenPipeError("the output was closed before the start")
        self.progress("")
        text = words(part, self._workspace) + "\n"
        async with self._writing:
            await descriptors.write(self._output, text.encode())

    async def notice(self, text: str) -> None:
        """One line on the standard error."""
        self.progress("")
        self._tell(strip_controls(text) + "\n")

    async def recall(self, line: TranscriptLine) -> None:
        """Beside the replies: what was said before is no answer to what comes in now."""
        moment = datetime.fromtimestamp(line.at / 1000, tz=UTC).astimezone()
        await self.notice(f"{line.who}, {moment:%Y-%m-%d %H:%M}\n{line.text}\n")

    def draft(self, text: str) -> None:
        """A pipe gets whole replies only."""

    def progress(self, text: str) -> None:
        """One line that is written over; an empty text clears it."""
        if not self._attended or text == self._progress:
            return
        self._progress = text
        self._tell("\r\x1b[K" + strip_controls(text).replace("\n", " ")[:PROGRESS_WIDTH])

    def _tell(self, text: str) -> None:
        if self._errors is not None:
            # Nobody may be reading the errors; there is nowhere left to say so.
            with suppress(OSError):
                os.write(self._errors, text.encode())
