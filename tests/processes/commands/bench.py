"""Where a test runs commands, and how it sees which processes are there."""

import json
from dataclasses import dataclass
from pathlib import Path

from core.domain.chat import ChatKey, Principal
from core.domain.message import Reply
from core.domain.tool import ToolResult
from core.ports import ToolContext
from core.runtime.ambient import SystemClock
from core.tools.run_command import RunCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A workspace inside a home folder, and the tool."""

    home: Path
    tool: RunCommand

    @property
    def workspace(self) -> Path:
        """The workspace."""
        return self.home / "workspace"

    async def runs(self, *argv: str, **others: object) -> ToolResult:
        """One command."""
        return await self.tool.run(json.dumps({"argv": argv, **others}), context_in(self.workspace))

    async def says(self, *argv: str, **others: object) -> str:
        """What a command writes; it must end well."""
        done = await self.runs(*argv, **others)
        assert not done.failed, done.text
        return done.text.partition("\n")[2]


def context_in(workspace: Path) -> ToolContext:
    """A call in a chat of its own."""

    async def say(reply: Reply, to: ChatKey | None = None) -> None:
        raise AssertionError("a command says nothing")

    return ToolContext(
        chat=ChatKey(channel="fake", account="acme", chat_id="room"),
        principal=Principal(channel="fake", account="acme", user_id="anna"),
        workspace=workspace,
        clock=SystemClock(),
        replay_key="1.1.0",
        progress=lambda text: None,
        uploads=workspace / "uploads" / "own",
        say=say,
    )


def running(mark: str) -> list[str]:
    """The command lines of all processes of this machine that hold the mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if mark in line:
                found.append(line)
    return found
