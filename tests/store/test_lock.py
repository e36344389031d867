"""Locks that the kernel lets go with the process."""

import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer

import pytest

from core.domain.errors import StoreUnusable
from core.store.lock import FileLock
from tests.store.test_opening import ROOT

HOLDER = """
import sys
from pathlib import Path
from core.store.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the lock lies."""
    return tmp_path / "worker.lock"


@contextmanager
def looked_at(path: Path) -> Iterator[None]:
    """Inside the block somebody is in the middle of a look."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def test_one_holds_it_at_a_time(path: Path) -> None:
    first, second = FileLock(path), FileLock(path)
    assert (first.acquire(), second.acquire()) == (True, False)
    assert (first.held, second.held) == (True, False)
    first.release()
    assert second.acquire()
    assert not first.acquire()


def test_its_holder_may_take_it_again_and_let_go_twice(path: Path) -> None:
    lock = FileLock(path)
    assert lock.acquire()
    assert lock.acquire()
    lock.release()
    lock.release()
    assert FileLock(path).acquire()


def test_the_file_names_its_holder_for_whoever_is_refused(path: Path) -> None:
    lock = FileLock(path)
    assert FileLock(path).holder() is None
    lock.acquire()
    assert FileLock(path).holder() == os.getpid()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("written", ["", "nonsense", "12 34"])
def test_a_file_that_names_nobody_names_nobody(path: Path, written: str) -> None:
    path.write_text(written)
    assert FileLock(path).holder() is None


def test_looking_whether_it_is_taken_takes_nothing_away(path: Path) -> None:
    lock, onlooker = FileLock(path), FileLock(path)
    assert not onlooker.taken()
    lock.acquire()
    assert onlooker.taken()
    assert not lock.taken()
    assert onlooker.holder() == os.getpid()
    lock.release()
    assert not onlooker.taken()
    assert onlooker.holder() == os.getpid()


def test_two_who_look_do_not_take_each_other_for_a_holder(path: Path) -> None:
    with looked_at(path):
        assert not FileLock(path).taken()


def test_patience_outlasts_whoever_only_looks(path: Path) -> None:
    with ExitStack() as looking:
        looking.enter_context(looked_at(path))
        lock = FileLock(path)
        assert not lock.acquire()
        assert not lock.acquire(patience_s=0.01)
        Timer(0.02, looking.close).start()
        assert lock.acquire(patience_s=10)
        assert FileLock(path).taken()


def test_patience_does_not_outlast_a_holder(path: Path) -> None:
    holder = FileLock(path)
    holder.acquire()
    assert not FileLock(path).acquire(patience_s=0.02)
    assert holder.held


def test_a_killed_process_holds_nothing_any_more(path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "True\n"
        lock = FileLock(path)
        assert not lock.acquire()
        assert lock.holder() == program.pid
    finally:
        program.kill()
        program.communicate()
    assert lock.acquire()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        StoreUnusable, match=r"gone/x\.lock: cannot lock \(No such file or directory\): check the folder"
    ):
        FileLock(tmp_path / "gone" / "x.lock").acquire()
