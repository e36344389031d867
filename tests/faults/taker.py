"""Gateways in processes of their own: people in three chats talk to each, and it tells what was taken and answered.

Arguments: a folder with one folder a gateway, how many messages are said in each chat, and which sync of a file fails
here, as `strace` makes it. In the folder N the N-th sync of the store is the one that fails; in the folder 0 none does.
Writes `ack N TEXT`, `heard N TEXT` and `ends N CODE` as it happens, and what a gateway ended of into its own folder.
"""

import asyncio
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

import structlog
from sqlalchemy import Connection

from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.faults.echo import echo

CHATS = ("one", "two", "three")
# The log is emptied into the file every few messages, so that a short run does it often.
PAGES = 40


def main() -> None:
    """One gateway after the other: what they import is imported once."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    count, failing_sync = int(sys.argv[2]), int(sys.argv[3])
    for folder in sorted(one for one in Path(sys.argv[1]).iterdir() if one.is_dir()):
        wanted = int(folder.name)
        if not (child := os.fork()):
            os._exit(_code(folder, count, failing_sync - wanted))
        _, status = os.waitpid(child, 0)
        _tell(f"ends {folder.name} {os.waitstatus_to_exitcode(status)}")


def _code(folder: Path, count: int, spent: int) -> int:
    try:
        asyncio.run(_run(folder, count, spent))
    except BaseException:
        (folder / "errors").write_text(traceback.format_exc(), encoding="utf-8")
        return 1
    return 0


async def _run(folder: Path, count: int, spent: int) -> None:
    house = House(folder=folder, platform=FakePlatform(), models=[echo()])
    async with opened(house) as gateway:
        # Syncs are counted for each thread: so many of the store's are used up on another file.
        await gateway.world.store.run(_use_up, folder / "other", spent)
        async with asyncio.TaskGroup() as group:
            for chat in CHATS:
                group.create_task(_talk(house, chat, count))


def _use_up(conn: Connection, path: Path, spent: int) -> None:
    other = os.open(path, os.O_CREAT | os.O_RDWR)
    for _ in range(spent):
        with suppress(OSError):
            os.fdatasync(other)
    os.close(other)
    conn.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {PAGES}")


async def _talk(house: House, chat: str, count: int) -> None:
    for number in range(count):
        text = f"{chat}-{number}"
        event = house.platform.says("anna", text, chat=chat)
        await house.platform.acknowledges(event, within=60)
        _tell(f"ack {house.folder.name} {text}")
        await house.platform.hears(text, chat=chat, within=60)
        _tell(f"heard {house.folder.name} {text}")


def _tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    main()
