"""A disk that is full when Parley starts."""

from tests.processes.house import House
from tests.processes.test_full_disk import Disk


async def test_a_start_on_a_full_disk_says_so(house: House, disk: Disk) -> None:
    disk.fills_up()
    done = await house.does("chat", said="hello\n")
    assert done.code == 1
    assert "space" in done.complaint
    disk.has_space()
    assert (await house.does("chat", said="hello\n")).code == 0


async def test_a_file_that_may_not_grow_at_all_says_so(house: House) -> None:
    piped = await house.ordered(house.order(["chat"], file_bytes=0))
    await piped.says("hello\n")
    done = await piped.done()
    assert done.code == 1
    assert "space" in done.complaint
