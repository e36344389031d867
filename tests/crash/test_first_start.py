"""A process that is killed while it makes its home."""

import pytest

from tests.processes.house import House, until

# Made one after the other: the folder of the settings, the store, its tables, the locks.
MARKS = ("workspace", "logs", "parley.db", "parley.db-wal", "parley.db.upgrade.lock", "worker.lock")


@pytest.mark.parametrize("mark", MARKS)
async def test_a_first_start_that_was_cut_off_is_taken_up_by_the_second(house: House, mark: str) -> None:
    first = await house.piped("chat")
    await until(lambda: (house.home / mark).exists(), bool)
    await first.process.is_killed()
    done = await house.does("chat", said="hello\n")
    assert (done.code, done.errors) == (0, "")
    assert [(one.said, one.closed) for one in house.conversation()] == [("hello", True)]
