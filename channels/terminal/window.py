"""A window with a person in front: a prompt below, the conversation above it in the terminal's own scrollback."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from channels.markup.controls import strip_controls
from channels.terminal.channel import STOP
from channels.terminal.outbound import TerminalPart
from channels.terminal.paint import Paint
from channels.terminal.prompt import Prompt
from channels.terminal.region import Region
from channels.terminal.screen import Take, Taken, TranscriptLine


class Window:
    """Shows an answer twice at no time: its draft goes in the moment the answer stands above."""

    shows_drafts = True

    def __init__(self, *, paint: Paint, prompt: Prompt) -> None:
        self._paint = paint
        self._prompt = prompt
        self._entered: asyncio.Queue[str | None] = asyncio.Queue()
        self._answered = ""

    async def read(self, take: Take, busy: Callable[[], bool]) -> bool:
        """Until the prompt is left, or the last message."""

        def stopped() -> bool:
            if not (busy() or self._prompt.region.draft or self._prompt.region.progress):
                return False
            self._entered.put_nowait(STOP)
            return True

        async with asyncio.TaskGroup() as group:
            group.create_task(self._pass_on(take), name="terminal: pass on")
            await self._prompt.run(self._entered.put_nowait, stopped)
            self._entered.put_nowait(None)
        return True

    async def show(self, part: TerminalPart) -> None:
        """A reply, drawn for the width of this moment."""
        self._answered = "".join(piece["text"] for piece in part["text"])
        self._prompt.change(Region(hint=self._prompt.region.hint))
        self._prompt.write(self._paint.part(part, self._prompt.columns))

    async def notice(self, text: str) -> None:
        """A dim line above the prompt; when the terminal is gone, the prompt ends by itself."""
        with suppress(OSError):
            self._prompt.write(self._paint.notice(text, self._prompt.columns))

    async def recall(self, line: TranscriptLine) -> None:
        """Drawn like a reply, under its name and time."""
        self._prompt.write(self._paint.recalled(line, self._prompt.columns))

    def draft(self, text: str) -> None:
        """Its last rows; a straggler of the answer that already stands above is not shown again."""
        if self._answered and self._answered.startswith(strip_controls(text).rstrip()):
            return
        self._answered = ""
        self._prompt.change(replace(self._prompt.region, draft=text))

    def progress(self, text: str) -> None:
        """One row below the draft."""
        self._prompt.change(replace(self._prompt.region, progress=text))

    async def _pass_on(self, take: Take) -> None:
        while (line := await self._entered.get()) is not None:
            with suppress(OSError):
                self._prompt.write(self._paint.typed(line, self._prompt.columns))
            taken = await take(line)
            if taken is Taken.LAST:
                self._prompt.leave()
                return
            if taken is Taken.REFUSED:
                self._prompt.give_back(line)
