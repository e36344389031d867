"""Work that a hostile input can make endless, in a child process that can be killed.

A pattern or a page from outside may cost any amount of time and memory, and Python code that holds the interpreter
cannot be interrupted from within. So it runs in a process of its own, without environment, with bounded memory and
processor time and unable to write a file (child.py). It is killed at the deadline and on cancellation, and runs out of
processor time when its gateway has died.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from core.domain.errors import ToolError
from core.tools.child import Message

LONGEST_ANSWER = 32_000_000  # bytes


class Child:
    """One running child. It answers one message at a time, in order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def ask(self, message: Message) -> Message:
        """Raises ToolError when the child died of the message: out of memory, out of processor time."""
        writer, reader = self._process.stdin, self._process.stdout
        assert writer is not None
        assert reader is not None
        with suppress(ConnectionError):
            writer.write(json.dumps(message).encode() + b"\n")
            await writer.drain()
        line = await reader.readline()
        if not line.endswith(b"\n"):
            raise ToolError("It took more memory or time than is allowed. Ask for something simpler or smaller.")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer


@asynccontextmanager
async def confined(module: str, seconds: float) -> AsyncIterator[Child]:
    """A child that runs `answer` of `core.tools.<module>`; it is dead when the block is left, whatever happened.

    Raises ToolError when the block takes longer than `seconds`.
    """
    program = f"import sys; sys.path.insert(0, sys.argv[1]); from core.tools.{module} import main; main()"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", program, str(Path(__file__).parents[2])),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
        start_new_session=True,
        limit=LONGEST_ANSWER,
    )
    try:
        async with asyncio.timeout(seconds):
            yield Child(process)
    except TimeoutError as exc:
        raise ToolError(
            f"It took longer than {seconds:g} seconds and was stopped. Ask for something simpler or smaller."
        ) from exc
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
