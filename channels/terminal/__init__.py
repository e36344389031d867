"""The terminal channel, as a pipe; with a person in front of it, `attended.py` takes its place.

The window's libraries cost more time to load than all else that a piped message needs, so this module knows nothing
of them.
"""

import sys
from typing import TextIO

from channels.contract import ChannelContext, ChannelSpec
from channels.terminal.channel import TerminalChannel
from channels.terminal.inbound import CHANNEL, read_lines
from channels.terminal.lines import Lines
from channels.terminal.pipes import Argument, Pipes, Stream
from channels.terminal.reader import new_reader
from channels.terminal.settings import WHOLE_INPUT, TerminalSettings


def build(settings: TerminalSettings, context: ChannelContext) -> TerminalChannel:
    """Takes the standard streams as they were when the process started; a closed one is None there."""
    if settings.message is None or settings.message == WHOLE_INPUT:
        lines = Lines(limit=settings.max_message, whole=settings.message == WHOLE_INPUT)
        source: Argument | Stream = Stream(_descriptor(sys.__stdin__), lines)
    else:
        source = Argument(settings.message)
    errors = _descriptor(sys.__stderr__)
    pipes = Pipes(
        source=source,
        output=_descriptor(sys.__stdout__),
        errors=errors,
        attended=sys.__stderr__ is not None and sys.__stderr__.isatty(),
        workspace=context.workspace,
    )
    return TerminalChannel(reader=new_reader(settings, context), terminal=pipes)


def _descriptor(stream: TextIO | None) -> int | None:
    return None if stream is None else stream.fileno()


SPEC = ChannelSpec(name=CHANNEL, settings=TerminalSettings, build=build, trusted=True, read=read_lines)
