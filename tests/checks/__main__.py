"""Runs all checks beside each other, prints how long each took, and what the failing ones said."""

import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.checks.budgets import ROOT

PYTHON = sys.executable

# The slowest first: it decides how long all take.
CHECKS: dict[str, Sequence[str]] = {
    "types": (PYTHON, "-m", "mypy"),
    "import contracts": (str(Path(PYTHON).with_name("lint-imports")), "--no-logo"),
    "format": (PYTHON, "-m", "ruff", "format", "--check"),
    "lint": (PYTHON, "-m", "ruff", "check"),
    "budgets": (PYTHON, "-m", "tests.checks.budgets"),
}
ALWAYS_SHOWN = "budgets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one check ended."""

    name: str
    code: int
    output: str


async def run(name: str, command: Sequence[str]) -> Outcome:
    """Run one check and print its line when it is done."""
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    code = process.returncode or 0
    say(f"{'ok    ' if code == 0 else 'FAILED'} {time.monotonic() - started:5.1f} s  {name}")
    return Outcome(name=name, code=code, output=output.decode(errors="replace"))


async def main() -> int:
    """1 when any check fails."""
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(run(name, command)) for name, command in CHECKS.items()]
    outcomes = [task.result() for task in running]
    for outcome in sorted(outcomes, key=lambda one: one.code):
        if outcome.code or outcome.name == ALWAYS_SHOWN:
            say(f"\n--- {outcome.name}\n{outcome.output.rstrip()}")
    return 1 if any(outcome.code for outcome in outcomes) else 0


def say(text: str) -> None:
    """To standard output, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
