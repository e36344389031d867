"""The terminal channel as a program of its own, with a desk for the runtime: `program.py [-m TEXT]`.

It ends with 1 when the channel says that something failed. A message that starts with `ask` is answered hostilely.
"""

import asyncio
import os
import sys
from pathlib import Path

from channels import registry
from channels.terminal.channel import TerminalChannel
from channels.terminal.settings import TerminalSettings, attended
from core.domain.message import Markdown, Reply
from tests.unit.terminal.desk import Desk, context, echo

HOSTILE = "ok \x1b]0;owned\x07 \x1b[2J done"


def answer(text: str) -> Reply:
    """Hostile when asked for."""
    return Reply(fragments=(Markdown(source=HOSTILE),)) if text.startswith("ask") else echo(text)


async def main(message: str | None) -> int:
    """As the command line would do it."""
    settings = TerminalSettings(message=message)
    in_front = attended(settings, os.environ.get("TERM"))
    channel = registry.load("terminal", attended=in_front).build(settings, context(workspace=Path.cwd()))
    assert isinstance(channel, TerminalChannel)
    desk = Desk(answer=answer)
    if not in_front:
        channel.answer_in_step(desk.quiet)
    await desk.run(channel)
    sys.stderr.write(f"{len(desk.said)} turns: {desk.said}\n")
    return int(channel.failed)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[2] if len(sys.argv) > 2 else None)))
