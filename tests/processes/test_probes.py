"""Looking whether somebody holds a lock must not look like holding it."""

import asyncio
import fcntl
import os
import threading
from pathlib import Path

from core.store.lock import FileLock
from tests.processes.house import House

LOOKS = 20_000
MOMENT_S = 0.15


def test_two_windows_that_look_for_a_service_do_not_take_each_other_for_one(tmp_path: Path) -> None:
    path, done = tmp_path / "run.lock", threading.Event()
    path.touch()

    def look() -> None:
        while not done.is_set():
            FileLock(path).taken()

    other = threading.Thread(target=look)
    other.start()
    try:
        assert not any(FileLock(path).taken() for _ in range(LOOKS))
    finally:
        done.set()
        other.join()


async def test_a_window_that_looks_at_this_very_moment_does_not_keep_a_service_from_starting(house: House) -> None:
    looking = os.open(house.home / "run.lock", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(looking, fcntl.LOCK_SH)
    asyncio.get_running_loop().call_later(MOMENT_S, os.close, looking)
    service = await house.terminal("run")
    assert await service.is_left() == 0
