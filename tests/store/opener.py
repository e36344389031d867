"""A process that opens stores when it is told to: a name in, one word out."""

import asyncio
import os
import sys
from pathlib import Path

from core.domain.errors import StoreError
from core.store.store import Store, open_sqlite
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk


def main() -> None:
    """Until the input ends."""
    say("ready")
    for name in iter(sys.stdin.readline, ""):
        try:
            store = open_sqlite(Path(sys.argv[1]) / name.strip(), FakeClock())
            asyncio.run(write(store))
            store.close()
        except StoreError as exc:
            say(f"{type(exc).__name__}: {exc}")
        else:
            say("opened")


async def write(store: Store) -> None:
    """One chat of this process."""
    await Desk(store).hears("hello", chat=f"process {os.getpid()}")


def say(text: str) -> None:
    """To whoever started this process."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
