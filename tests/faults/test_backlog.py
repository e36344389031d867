"""A start with many messages that were taken while nobody worked."""

from dataclasses import replace

from core.store.lock import FileLock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.faults.echo import echo

CHATS = 25
EACH = 6


async def test_what_was_taken_while_nobody_worked_is_answered_in_order_and_once(
    house: House, platform: FakePlatform
) -> None:
    world, other = replace(house, models=[echo()]), FileLock(house.worker)
    said = [(f"c{chat}", f"{number}") for number in range(EACH) for chat in range(CHATS)]
    other.acquire()
    async with opened(world):
        events = [platform.says("anna", text, chat=chat) for chat, text in said]
        for event in events:
            await platform.acknowledges(event)
        assert platform.ledger.lines() == []
    other.release()
    async with opened(world):
        for chat, text in said:
            assert (await platform.reads(chat=chat, within=30)).text == f"re: {text}"
    assert len(platform.ledger.lines()) == len(said)
