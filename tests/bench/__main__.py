"""Runs every bench and ends with one line a figure: `bench: NAME=VALUE UNIT`.

Arguments name the benches to run (all without any): disk path idle backlog render model memory.
"""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import structlog

from tests.bench.backlog import backlog
from tests.bench.disk import disk
from tests.bench.figures import Figures
from tests.bench.memory import memory
from tests.bench.model import model
from tests.bench.path import idle, path
from tests.bench.render import render

BENCHES: Mapping[str, Callable[[Path, Figures], Awaitable[None]]] = {
    "disk": disk,
    "idle": idle,
    "path": path,
    "backlog": backlog,
    "render": render,
    "model": model,
    "memory": memory,
}


async def run(names: list[str], figures: Figures) -> None:
    """Each in a folder of its own, on the disk of the checkout rather than in memory."""
    for name in names:
        sys.stderr.write(f"bench {name} ...\n")
        with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
            await BENCHES[name](Path(folder), figures)


def main() -> int:
    """Exit code 1 when a figure misses its goal."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(file=sys.stderr), cache_logger_on_first_use=True)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    figures = Figures()
    asyncio.run(run(sys.argv[1:] or list(BENCHES), figures))
    sys.stdout.write(figures.text())
    return 0 if figures.all_good() else 1


if __name__ == "__main__":
    sys.exit(main())
