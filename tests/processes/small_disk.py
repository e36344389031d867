"""A disk of a few megabytes, in memory. Only root can mount one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class Disk:
    """A small one, with a ballast that fills it up."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "workspace" / "data" / "ballast"

    def fills_up(self) -> None:
        """To the last byte."""
        self._ballast.parent.mkdir(parents=True, exist_ok=True)
        for size in (65_536, 1):
            with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
                while True:
                    file.write(bytes(size))

    def has_space(self) -> None:
        """Again."""
        self._ballast.unlink()


@contextmanager
def mounted(folder: Path, size: str, *options: str) -> Iterator[Disk]:
    """The folder lies on it inside the block. Skips the test where nothing can be mounted."""
    chosen = ",".join((f"size={size}", "mode=0700", *options))
    command = ["mount", "-t", "tmpfs", "-o", chosen, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be mounted by root")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
