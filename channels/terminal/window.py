"""The terminal with a person in front: a prompt below, the conversation above it in the terminal's own scrollback."""

import asyncio
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import DummyHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import TabsProcessor
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.styles import Style

from channels.contract import ChannelContext, ChannelSpec
from channels.markup.controls import strip_controls
from channels.terminal.channel import STOP, TerminalChannel
from channels.terminal.history import OwnerHistory
from channels.terminal.inbound import CHANNEL
from channels.terminal.outbound import TerminalPart
from channels.terminal.paint import Colors, Paint
from channels.terminal.region import Region, rows
from channels.terminal.screen import Take, Taken, TranscriptLine
from channels.terminal.settings import TerminalSettings
from core.domain.command import CommandSpec

PROMPT = "> "
LEAVE_HINT = "Ctrl-D or /exit leaves."
REDRAW_SECONDS = 0.05
STYLE = Style.from_dict({"draft": "", "progress": "italic", "hint": "italic", "prompt": "bold"})


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


class Window:
    """One prompt that stays from the start to the end; what is shown meanwhile goes above it.

    The draft of an answer and what is being done stand between the conversation and the prompt. They are part of
    the prompt's own drawing and go with it, so no text ever stands twice in the scrollback.
    """

    def __init__(
        self,
        *,
        paint: Paint,
        history: History,
        commands: Sequence[CommandSpec],
        no_color: bool,
        keyboard: Input | None = None,
        display: Output | None = None,
    ) -> None:
        self._paint = paint
        self._entered: asyncio.Queue[str | None] = asyncio.Queue()
        self._region = Region()
        self._answered = ""
        self._interrupts = 0
        self._busy: Callable[[], bool] = lambda: False
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=self._keys(),
            input_processors=[TabsProcessor(char1=" ", char2=" ")],
            history=history,
            completer=Commands(commands),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            enable_suspend=True,
            style=STYLE,
            color_depth=ColorDepth.DEPTH_1_BIT if no_color else None,
            erase_when_done=True,
            input=keyboard,
            output=display,
        )
        self._session.default_buffer.accept_handler = self._enter
        self._session.default_buffer.on_text_changed += self._typed
        self._session.app.min_redraw_interval = REDRAW_SECONDS

    async def read(self, take: Take, busy: Callable[[], bool]) -> bool:
        """Until Ctrl-D on an empty line, or until the last message. A hang-up is an end like any other.

        What others print meanwhile, a log line say, goes above the prompt.
        """
        self._busy = busy
        with patch_stdout():
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass_on(take), name="terminal: pass on")
                with suppress(EOFError):
                    await self._session.prompt_async(handle_sigint=False, set_exception_handler=False)
                self._entered.put_nowait(None)
        return True

    async def show(self, part: TerminalPart) -> None:
        """A reply, drawn for the width of this moment."""
        self._answered = "".join(piece["text"] for piece in part["text"])
        self._region = Region(hint=self._region.hint)
        await self._write(self._paint.part(part, self._columns()))

    async def notice(self, text: str) -> None:
        """A dim line above the prompt."""
        await self._write(self._paint.notice(text, self._columns()))

    async def recall(self, line: TranscriptLine) -> None:
        """Drawn like a reply, under its name and time."""
        await self._write(self._paint.recalled(line, self._columns()))

    def draft(self, text: str) -> None:
        """Its last rows; a straggler of the answer that already stands above is not shown again."""
        if self._answered and self._answered.startswith(strip_controls(text).rstrip()):
            return
        self._answered = ""
        self._change(replace(self._region, draft=text))

    def progress(self, text: str) -> None:
        """One row below the draft."""
        self._change(replace(self._region, progress=text))

    async def _pass_on(self, take: Take) -> None:
        while (line := await self._entered.get()) is not None:
            await self._write(self._paint.typed(line, self._columns()))
            taken = await take(line)
            if taken is Taken.LAST:
                self._leave()
                return
            buffer = self._session.default_buffer
            if taken is Taken.REFUSED and not buffer.text:
                buffer.text = line
                buffer.cursor_position = len(line)

    async def _write(self, text: str) -> None:
        output = self._session.app.output

        def write() -> None:
            output.write_raw(text)
            output.flush()

        # Interrupted half-way the prompt would stay hidden for ever: a cancelled writer lets it finish.
        await asyncio.shield(run_in_terminal(write))

    def _change(self, region: Region) -> None:
        if region != self._region:
            self._region = region
            self._session.app.invalidate()

    def _columns(self) -> int:
        return self._session.app.output.get_size().columns

    def _message(self) -> StyleAndTextTuples:
        size = self._session.app.output.get_size()
        above = rows(self._region, width=size.columns - 1, height=size.rows)
        return [*((f"class:{kind}", row + "\n") for kind, row in above), ("class:prompt", PROMPT)]

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
        @keys.add("<sigint>")
        def interrupt(event: KeyPressEvent) -> None:
            self._interrupt()

        return keys

    def _enter(self, buffer: Buffer) -> bool:
        self._interrupts = 0
        if buffer.text.strip():
            self._entered.put_nowait(buffer.text)
        return False

    def _typed(self, buffer: Buffer) -> None:
        self._interrupts = 0
        self._change(replace(self._region, hint=""))

    def _interrupt(self) -> None:
        buffer = self._session.default_buffer
        if self._busy() or self._region.draft or self._region.progress:
            self._entered.put_nowait(STOP)
        elif buffer.text:
            buffer.reset()
        else:
            self._interrupts += 1
            if self._interrupts > 1:
                self._change(replace(self._region, hint=LEAVE_HINT))

    def _leave(self) -> None:
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(result="")


def build(settings: TerminalSettings, context: ChannelContext) -> TerminalChannel:
    """Opens nothing yet; the keyboard is taken when it listens."""
    no_color = bool(context.env("NO_COLOR"))
    colors = colors_of(context.env("TERM") or "", context.env("COLORTERM") or "")
    window = Window(
        paint=Paint(colors=colors, no_color=no_color, plain=settings.plain, workspace=context.workspace),
        history=_history(settings),
        commands=context.commands,
        no_color=no_color,
    )
    return TerminalChannel(settings=settings, context=context, window=secrets.token_urlsafe(9), terminal=window)


def colors_of(terminal: str, color_terminal: str) -> Colors:
    """What a terminal can show, by what it says of itself in TERM and COLORTERM."""
    if color_terminal in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256color" in terminal else "standard"


def _history(settings: TerminalSettings) -> History:
    if not settings.history:
        return DummyHistory()
    return InMemoryHistory() if settings.history_folder is None else OwnerHistory(settings.history_folder)


SPEC = ChannelSpec(name=CHANNEL, settings=TerminalSettings, build=build)
