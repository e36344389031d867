"""run_command: one program with its arguments, in the workspace, in a sandbox.

The words go to the program as they are: nothing here reads them as shell text. A shell is a program like any other,
and the text that it is given stands in the proposal in full.
"""

import asyncio
import os
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator, Field

from core.decide.command_rules import Place, blocked
from core.domain.errors import ToolError
from core.domain.tool import Approval, Effect, Proposal, ToolResult, ToolSpec
from core.ports import ToolContext
from core.tools import sandbox
from core.tools.command_plan import Plan, plan, proposal
from core.tools.define import Arguments, parse, schema_of
from core.tools.kept_command import Command, Ended, run_kept
from core.tools.paths import parts_of, sight
from core.tools.workspace import opened_folder, told

LONGEST_ARGV = 100_000  # characters in all
SETTING = '[tools.run_command] sandbox = "none"'


def _words(value: object) -> object:
    if isinstance(value, str):
        raise ValueError(
            'it is one text and not a list of words. Give each word by itself, as in ["ls", "-l", "my notes"]; for '
            'shell text give ["sh", "-c", "the text"]'
        )
    return value


class RunCommandArguments(Arguments):
    """The words of the command, and where and how long it runs."""

    argv: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        min_length=1, max_length=1_000, description="the program and its arguments, each a text of its own"
    )
    cwd: str = Field(default=".", description="folder to run in, relative to the workspace")
    timeout_s: int = Field(default=120, ge=1, description="seconds after which it is ended")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """`sandboxed` is the operator's choice; `longest_s` the most that a call may ask for."""

    sandboxed: bool = True
    longest_s: int = 600
    bwrap: str | None = field(default_factory=sandbox.installed)
    spec: ToolSpec = field(
        default=ToolSpec(
            name="run_command",
            description=(
                "Run a program in the workspace and read what it writes. A person approves it first. There is no "
                "network and no input, and what it leaves running is ended with it."
            ),
            schema=schema_of(RunCommandArguments),
            effect=Effect.EXTERNAL,
            replayable=False,
            approval=Approval.ASK,
            limits_itself=True,
        )
    )

    async def propose(self, arguments: str, context: ToolContext) -> Proposal:
        """The command as it would run now, with the contents of the files that it names."""
        return proposal(await self._plan(arguments, context))

    async def run(self, arguments: str, context: ToolContext) -> ToolResult:
        """Raises ToolError for what is not run at all; a command that fails has a result."""
        made = await self._plan(arguments, context)
        context.progress(os.path.basename(made.executable))
        started = time.monotonic()
        with ExitStack() as stack:
            with told(made.cwd):
                folder = stack.enter_context(opened_folder(context.workspace, made.folder))
            ended = await run_kept(self._command(made, context, folder))
        return _result(ended, made.seconds, time.monotonic() - started)

    async def _plan(self, arguments: str, context: ToolContext) -> Plan:
        given = parse(arguments, RunCommandArguments, self.spec)
        _check(given.argv, given.timeout_s, self.longest_s)
        return await asyncio.to_thread(self._planned, given, context)

    def _planned(self, given: RunCommandArguments, context: ToolContext) -> Plan:
        if self.sandboxed and (reason := sandbox.trouble(self.bwrap)):
            raise ToolError(
                f"Commands are not run on this machine: {reason}. Tell the person that the operator can install it, "
                f"or set {SETTING} to run commands without a sandbox."
            )
        folder = parts_of(given.cwd)
        seen = sight(context.workspace, context.uploads)
        with told(given.cwd), opened_folder(context.workspace, folder):
            if not seen.sees(folder):
                raise FileNotFoundError(2, "hidden")
        mode = "bubblewrap" if self.sandboxed else "none"
        made = plan(given.argv, folder, given.timeout_s, context.workspace, seen, mode)
        fault = blocked(made.argv, Place(cwd=made.cwd, root=made.workspace))
        if fault is not None:
            raise ToolError(
                f"This command is never run here, whoever approves it: {fault}. Do what is needed another way, or "
                f"tell the person which command to run on their own."
            )
        return made

    def _command(self, made: Plan, context: ToolContext, folder: int) -> Command:
        argv, executable = made.argv, made.executable
        if self.sandboxed:
            assert self.bwrap is not None
            uploads = os.path.realpath(context.uploads)
            inside = sandbox.Confinement(workspace=made.workspace, cwd=made.cwd, uploads=uploads)
            argv, executable = sandbox.wrapped(self.bwrap, inside, (executable, *argv[1:])), self.bwrap
        return Command(argv=argv, executable=executable, env=made.env, folder=folder, seconds=made.seconds)


def _check(argv: tuple[str, ...], seconds: int, longest: int) -> None:
    if not argv[0]:
        raise ToolError("argv: the first word is empty; it names the program.")
    if sum(map(len, argv)) > LONGEST_ARGV:
        raise ToolError(f"argv: it is longer than {LONGEST_ARGV:,} characters. Write a file and name it.")
    if any("\0" in word for word in argv):
        raise ToolError("argv: a word holds a NUL character, which no program can be given.")
    if any("\ud800" <= char <= "\udfff" for word in argv for char in word):
        raise ToolError("argv: a word holds half of a surrogate pair. Send the whole character.")
    if seconds > longest:
        raise ToolError(f"timeout_s: {seconds} is more than the {longest} seconds that are allowed here.")


def _result(ended: Ended, seconds: int, took: float) -> ToolResult:
    how = _how(ended, seconds)
    return ToolResult(text=f"{how}, after {took:.1f} s\n{ended.output or '(no output)'}", failed=how != "exit status 0")


def _how(ended: Ended, seconds: int) -> str:
    if ended.late:
        return f"ended because it took longer than {seconds} s"
    if ended.flooded:
        return "ended because it wrote too much"
    if ended.status >= 0 and (number := ended.status - 128) not in signal.valid_signals():
        return f"exit status {ended.status}"
    # A shell, and the sandbox too, tells of a signal by a status above 128.
    number = -ended.status if ended.status < 0 else number
    return f"ended by {signal.Signals(number).name}" + (f" (exit status {ended.status})" if ended.status >= 0 else "")
