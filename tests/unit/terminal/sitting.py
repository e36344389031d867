"""A person in front of a window, for tests that read as what they do and see."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from prompt_toolkit.application import get_app_session
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.output.vt100 import Vt100_Output

from channels.terminal.channel import TerminalChannel
from channels.terminal.inbound import chat_of
from channels.terminal.paint import Paint
from channels.terminal.prompt import Prompt
from channels.terminal.reader import Reader
from channels.terminal.window import Window
from core.bus import Accept
from core.domain.command import COMMANDS
from core.domain.message import Reply
from core.domain.texts import Texts
from tests.unit.terminal.desk import Desk, StillClock, echo
from tests.unit.terminal.vt import FakeTerminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """The terminal, the window on it, and the desk that answers."""

    terminal: FakeTerminal
    window: Window
    channel: TerminalChannel
    desk: Desk
    listening: asyncio.Task[None]


@contextmanager
def connected(terminal: FakeTerminal) -> Iterator[None]:
    """What is built inside reads its keys from this terminal and draws on it, as if it were the process's own.

    Not a session of its own: what is printed from other threads finds the process's session only.
    """
    with (
        io.TextIOWrapper(io.FileIO(terminal.slave, "r+", closefd=False), encoding="utf-8", write_through=True) as tty,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(get_app_session(), "_input", create_input(stdin=tty))
        patch.setattr(get_app_session(), "_output", Vt100_Output.from_pty(tty, term="xterm-256color"))
        yield


def new_window(*, no_color: bool, history: History | None) -> Window:
    """As the gateway builds it, but for the history."""
    prompt = Prompt(history=history or InMemoryHistory(), commands=COMMANDS, no_color=no_color)
    paint = Paint(colors="standard", no_color=no_color, plain=False, workspace=Path("/w"))
    return Window(paint=paint, prompt=prompt)


def channel_on(window: Window, *, limit: int = 1_000) -> TerminalChannel:
    """The session default of the user ann."""
    reader = Reader(chat=chat_of("ann", "default"), clock=StillClock(), window="w", limit=limit, texts=Texts({}))
    return TerminalChannel(reader=reader, terminal=window)


@asynccontextmanager
async def sitting(
    answer: Callable[[str], Reply | None] = echo,
    *,
    accept: Accept | None = None,
    no_color: bool = True,
    history: History | None = None,
) -> AsyncIterator[Sitting]:
    """A window that listens for as long as the block lasts; `accept` takes the place of the desk's own."""
    with FakeTerminal().opened() as terminal, connected(terminal):
        window = new_window(no_color=no_color, history=history)
        channel = channel_on(window)
        desk = Desk(answer=answer)
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(desk.serve(channel))
            listening = group.create_task(channel.listen(accept or desk.accept))
            await terminal.shows(">")
            yield Sitting(terminal=terminal, window=window, channel=channel, desk=desk, listening=listening)
            listening.cancel()
            serving.cancel()
