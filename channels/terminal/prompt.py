"""The line that is typed in, with the region above it that comes and goes."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from channels.terminal.region import Region, rows
from core.domain.command import CommandSpec

MARK = "> "
LEAVE_HINT = "Ctrl-D or /exit leaves."
REDRAW_SECONDS = 0.05
STYLE = Style.from_dict({"draft": "", "progress": "italic", "hint": "italic", "mark": "bold"})


class Commands(Completer):
    """Completes the first word of a message that starts with a slash."""

    def __init__(self, commands: Sequence[CommandSpec]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Nothing once a space has been typed."""
        typed = document.text_before_cursor
        if not typed.startswith("/") or " " in typed:
            return
        for command in self._commands:
            if command.name.startswith(typed[1:]):
                yield Completion(f"/{command.name}", start_position=-len(typed), display_meta=command.summary)


class Prompt:
    """One prompt from the start of a window to its end; whatever is written meanwhile goes above it.

    The region is part of the prompt's own drawing and goes with it, so none of it ever reaches the scrollback.
    """

    def __init__(self, *, history: History, commands: Sequence[CommandSpec], no_color: bool) -> None:
        self.region = Region()
        self._entered: Callable[[str], None] = lambda text: None
        self._stopped: Callable[[], bool] = lambda: False
        self._interrupts = 0
        self._redraw: asyncio.TimerHandle | None = None
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            prompt_continuation=" " * len(MARK),
            input_processors=[TabsProcessor(char1=" ", char2=" ")],
            key_bindings=self._keys(),
            history=history,
            completer=Commands(commands),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            enable_suspend=True,
            style=STYLE,
            color_depth=ColorDepth.DEPTH_1_BIT if no_color else None,
            erase_when_done=True,
        )
        self._session.default_buffer.accept_handler = self._enter
        self._session.default_buffer.on_text_changed += self._edited

    @property
    def columns(self) -> int:
        """The width of the terminal now."""
        return self._session.app.output.get_size().columns

    async def run(self, entered: Callable[[str], None], stopped: Callable[[], bool]) -> None:
        """Until Ctrl-D on an empty line, or `leave`; a hang-up is an end like any other.

        Each message goes to `entered`. Ctrl-C goes to `stopped`, which says whether there was anything to stop. What
        others print meanwhile, a log line say, goes above the prompt.
        """
        self._entered, self._stopped = entered, stopped
        with patch_stdout(), suppress(EOFError, OSError):
            await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)

    def leave(self) -> None:
        """End `run`."""
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(result="")

    def write(self, text: str) -> None:
        """Above the prompt, complete when this returns. Raises OSError when the terminal is gone.

        The terminal stays in the mode in which keys are ours: in any other, a Ctrl-C of this very moment would end
        the process and a Ctrl-D would be swallowed.
        """
        app = self._session.app
        if app.is_running:
            app.renderer.erase()
        app.output.write_raw(text.replace("\n", "\r\n"))
        app.output.flush()
        app.invalidate()

    def change(self, region: Region) -> None:
        """Draw another region, soon: a stream of drafts costs a few drawings a second, and typing is never held up."""
        if region == self.region:
            return
        self.region = region
        loop = asyncio.get_running_loop()
        if self._redraw is None or self._redraw.when() <= loop.time():
            self._redraw = loop.call_later(REDRAW_SECONDS, self._session.app.invalidate)

    def give_back(self, text: str) -> None:
        """Put a message into the line again, unless something else is being typed there."""
        buffer = self._session.default_buffer
        if not buffer.text:
            buffer.text = text
            buffer.cursor_position = len(text)

    def _message(self) -> StyleAndTextTuples:
        size = self._session.app.output.get_size()
        above = rows(self.region, width=size.columns - 1, height=size.rows)
        return [*((f"class:{kind}", row + "\n") for kind, row in above), ("class:mark", MARK)]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        typing = has_focus(DEFAULT_BUFFER)

        @keys.add("enter", filter=typing)
        def enter(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter", filter=typing)
        def newline(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c", filter=typing)
        def interrupt(event: KeyPressEvent) -> None:
            self._interrupt(event.current_buffer)

        return keys

    def _enter(self, buffer: Buffer) -> bool:
        self._interrupts = 0
        if buffer.text.strip():
            self._entered(buffer.text)
        return False

    def _edited(self, buffer: Buffer) -> None:
        self._interrupts = 0
        self.change(replace(self.region, hint=""))

    def _interrupt(self, buffer: Buffer) -> None:
        if self._stopped():
            return
        if buffer.text:
            buffer.reset()
            return
        self._interrupts += 1
        if self._interrupts > 1:
            self.change(replace(self.region, hint=LEAVE_HINT))
