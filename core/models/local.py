"""A model of one's own machine: llama.cpp's server as a child process, reached like any other provider."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from core.domain.errors import ModelUnreachable, SettingsError
from core.domain.secret import Secret
from core.models.entry import ModelEntry
from core.models.probe import get_json
from core.models.weights import SMOLLM2, Weights

LOCAL_MODEL = "openai/local"
ENGINE = "xllamacpp"
ENGINE_FILE = Path(__file__).with_name("local_engine.py")
START_S = 60.0
HEALTH_S = 5.0
STOP_S = 5.0
MAX_THREADS = 8


def wants_engine(entry: ModelEntry) -> bool:
    """Whether this entry means the local engine: it has the model and no address of its own."""
    return entry.model == LOCAL_MODEL and entry.api_base is None


def require_engine(library: str = ENGINE) -> None:
    """Raises SettingsError, with the command to run, when the engine's library is not installed."""
    if importlib.util.find_spec(library) is None:
        raise SettingsError("the local engine is not installed: run `pip install 'parley-gateway[local]'`, then again")


class LocalServer:
    """The engine while the block lasts, on a free port of the loopback address, behind a key that nobody else has.

    About 350 MB with the shipped weights. It ends with this process, even if this one is killed.
    """

    def __init__(self, file: Path, *, key: Secret, weights: Weights = SMOLLM2) -> None:
        self._file = file
        self._key = key
        self._weights = weights
        self._process: asyncio.subprocess.Process | None = None
        self._url = ""

    @property
    def pid(self) -> int | None:
        """The child's process id, while there is one."""
        return self._process.pid if self._process and self._process.returncode is None else None

    def entry(self, entry: ModelEntry) -> ModelEntry:
        """The entry with the address, key and limits of this server."""
        weights = self._weights
        return replace(
            entry,
            model=LOCAL_MODEL,
            api_base=f"{self._url}/v1",
            api_key=self._key,
            window=weights.window,
            output=weights.output,
            price_in=0.0,
            price_out=0.0,
        )

    async def start(self) -> None:
        """Returns when it answers. Raises SettingsError or ModelUnreachable, and then nothing runs."""
        require_engine()
        if not self._file.is_file():
            raise SettingsError(f"{self._file} is missing: run `parley models add local`")
        async with AsyncExitStack() as undo:
            undo.push_async_callback(self.stop)
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                str(ENGINE_FILE),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._url = await self._ready(self._process)
            undo.pop_all()

    async def stop(self) -> None:
        """End it; it is killed after five seconds."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _ready(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(self._settings()).encode() + b"\n")
        try:
            async with asyncio.timeout(START_S):
                await process.stdin.drain()
                word, _, rest = (await process.stdout.readline()).decode().strip().partition(" ")
        except (TimeoutError, ConnectionError) as error:
            raise ModelUnreachable(f"the local engine did not start within {START_S:g} s") from error
        if word != "ready":
            raise ModelUnreachable(f"the local engine cannot run {self._file}: {rest or 'it ended without a word'}")
        place = urlsplit(rest)
        health = await get_json(place.hostname or "", place.port or 0, "/health", patience_s=HEALTH_S)
        if health != {"status": "ok"}:
            raise ModelUnreachable(f"the local engine listens on {rest} but is not healthy")
        return rest

    def _settings(self) -> dict[str, object]:
        return {
            "weights": str(self._file),
            "key": self._key.reveal(),
            "window": self._weights.window,
            "output": self._weights.output,
            "threads": min(os.cpu_count() or 1, MAX_THREADS),
        }
