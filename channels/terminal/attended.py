"""The terminal channel with a person in front of it. Loading this module loads the window's libraries."""

from dataclasses import replace

from prompt_toolkit.history import DummyHistory, History, InMemoryHistory

from channels.contract import ChannelContext
from channels.terminal import SPEC as PIPED
from channels.terminal.channel import TerminalChannel
from channels.terminal.history import OwnerHistory
from channels.terminal.paint import Colors, Paint
from channels.terminal.prompt import Prompt
from channels.terminal.reader import new_reader
from channels.terminal.settings import TerminalSettings
from channels.terminal.window import Window


def build(settings: TerminalSettings, context: ChannelContext) -> TerminalChannel:
    """Opens nothing yet; the keyboard is taken when it listens."""
    no_color = bool(context.env("NO_COLOR"))
    colors = colors_of(context.env("TERM") or "", context.env("COLORTERM") or "")
    paint = Paint(colors=colors, no_color=no_color, plain=settings.plain, workspace=context.workspace)
    prompt = Prompt(history=_history(settings), commands=context.commands, no_color=no_color)
    window = Window(paint=paint, prompt=prompt)
    return TerminalChannel(reader=new_reader(settings, context), terminal=window)


def colors_of(terminal: str, color_terminal: str) -> Colors:
    """What a terminal can show, by what it says of itself in TERM and COLORTERM."""
    if color_terminal in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256color" in terminal else "standard"


def _history(settings: TerminalSettings) -> History:
    if not settings.history:
        return DummyHistory()
    return InMemoryHistory() if settings.history_folder is None else OwnerHistory(settings.history_folder)


SPEC = replace(PIPED, build=build)
