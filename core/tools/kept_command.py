"""Running a command under its keeper, from the gateway's side."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.domain.errors import ToolError
from core.tools import keeper
from core.tools.command_output import CommandOutput

CHUNK = 1 << 16
# Once its input is closed the keeper asks, waits, kills and ends; only a keeper that is itself stuck takes longer.
PATIENCE_S = keeper.TERM_S + keeper.KILL_S + 1.0
LIMITS: Mapping[str, int] = {"CORE": 0, "DATA": 4 << 30, "FSIZE": 1 << 30, "NOFILE": 1_024}
MOST_PROCESSES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run, word by word; `folder` is an open descriptor of the folder to run it in."""

    argv: tuple[str, ...]
    executable: str
    env: Mapping[str, str]
    folder: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How it ended; `status` is negative for a signal."""

    status: int
    late: bool
    flooded: bool
    output: str


async def run_kept(command: Command) -> Ended:
    """Until it and all that it started has ended. Cancelling ends them within two seconds, and so does our death.

    Raises ToolError when it could not be started.
    """
    output = CommandOutput()
    async with _keeper(command) as process:
        stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        stdin.write(json.dumps(_job(command)).encode() + b"\n")
        while chunk := await stdout.read(CHUNK):
            if not output.flooded:
                output.feed(chunk)
            elif not stdin.is_closing():
                stdin.close()
        output.feed(b"", last=True)
        said = (await stderr.read()).decode(errors="replace")
    try:
        report: keeper.Report = json.loads(said)
    except ValueError as exc:
        raise ToolError(f"The command's keeper ended before it: {said[-500:] or 'no reason given'}") from exc
    if report["error"]:
        raise ToolError(f"It could not be started: {report['error']}")
    return Ended(status=report["status"], late=report["late"], flooded=output.flooded, output=output.text())


@asynccontextmanager
async def _keeper(command: Command) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", str(Path(keeper.__file__))),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={},
        start_new_session=True,
        pass_fds=(command.folder,),
    )
    try:
        yield process
    finally:
        if process.stdin is not None:
            process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await process.wait()
        if process.returncode is None:
            process.kill()


def _job(command: Command) -> keeper.Job:
    return keeper.Job(
        argv=command.argv,
        executable=command.executable,
        env=command.env,
        folder=command.folder,
        seconds=command.seconds,
        limits=LIMITS,
        processes=MOST_PROCESSES,
    )
