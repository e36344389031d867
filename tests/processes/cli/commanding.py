"""Runs the real command in a process of its own, with nothing of the tester's environment."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str


def parley(home: Path, *arguments: str, **environ: str) -> Said:
    """Run `parley ARGUMENTS` with that home folder."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "PARLEY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "gateway.cli", *arguments],
        env=clean | environ,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Said(code=done.returncode, out=done.stdout, err=done.stderr)
