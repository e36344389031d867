"""A reply of too many messages goes as a file."""

from dataclasses import replace
from pathlib import Path

import pytest

from channels.contract import Limits
from core.domain.errors import RateLimited, Unacceptable
from core.models.scripted import ScriptedModel, says
from core.store import listing
from tests.fakes.chance import FakeChance
from tests.fakes.channel import LIMITS, FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened, passing
from tests.fakes.platform import FakePlatform, Sent

SHORT = replace(LIMITS, text=10)
EIGHT = "".join(f"word {n:04}\n" for n in range(8))
NINE = f"{EIGHT}word 0008\n"


def narrow(house: House, limits: Limits = SHORT) -> House:
    """A gateway whose messages hold ten characters."""
    return replace(house, channel=lambda platform: FakeChannel(platform, limits=limits))


async def whole(platform: FakePlatform, parts: int) -> str:
    """The next messages in one."""
    return "".join([(await platform.reads()).text for _ in range(parts)])


def file_of(house: House, sent: Sent) -> Path:
    """The only file of a message."""
    (path,) = sent.files
    return house.folder / "workspace" / path


async def test_eight_messages_are_sent_as_messages(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(says(EIGHT))
    async with opened(narrow(house)):
        await platform.person("anna").says("hello")
        assert await whole(platform, 8) == EIGHT
    assert all(sent.files == () for sent in platform.ledger.lines())


async def test_nine_messages_are_their_beginning_and_a_file_with_all_of_them(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(NINE))
    async with opened(narrow(house)):
        await platform.person("anna").says("hello")
        sent = await platform.hears("word 0000")
        assert file_of(house, sent).read_text() == NINE
    assert [line.text for line in platform.ledger.lines()] == ["word 0000"]


async def test_the_operator_says_how_many_messages_are_too_many(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(EIGHT))
    async with opened(replace(narrow(house), reply_parts=7)):
        await platform.person("anna").says("hello")
        sent = await platform.hears("word 0000")
        assert file_of(house, sent).read_text() == EIGHT


@pytest.mark.parametrize("limits", [replace(SHORT, files=0), replace(SHORT, file_bytes=len(NINE) - 1)])
async def test_where_the_file_cannot_go_the_messages_do(
    house: House, platform: FakePlatform, model: ScriptedModel, limits: Limits
) -> None:
    model.then(says(NINE))
    async with opened(narrow(house, limits)):
        await platform.person("anna").says("hello")
        assert await whole(platform, 9) == NINE


async def test_a_link_in_the_way_of_the_file_is_not_followed(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(NINE))
    outside = house.folder / "outside"
    outside.mkdir()
    async with opened(narrow(house)):
        (house.folder / "workspace" / "uploads").symlink_to(outside)
        await platform.person("anna").says("hello")
        assert await whole(platform, 9) == NINE
    assert list(outside.iterdir()) == []


async def test_the_same_file_goes_out_after_a_restart(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(says(NINE))
    platform.fails_next(RateLimited("later", retry_in=60))
    timed = replace(narrow(house), clock=clock, chance=FakeChance())
    async with opened(timed) as gateway:
        await platform.person("anna").says("hello")
        while not (lines := await gateway.world.store.read(listing.outbox_list, 1)) or lines[0].error is None:
            pass
    async with opened(timed) as gateway:
        sent = await passing(gateway, clock, platform.hears("word 0000"), step=10)
    assert file_of(house, sent).read_text() == NINE


async def test_a_beginning_whose_markup_is_refused_goes_out_plain_with_its_file(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(NINE))
    platform.fails_next(Unacceptable("bad markup"))
    async with opened(narrow(house)):
        await platform.person("anna").says("hello")
        sent = await platform.hears("word 0000")
        assert file_of(house, sent).read_text() == NINE


async def test_a_chat_does_not_see_the_long_replies_of_another(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says(NINE), says(NINE))
    async with opened(narrow(house)):
        files = []
        for chat in ("one", "two"):
            await platform.person("anna", chat=chat).says("hello")
            (path,) = (await platform.hears("word 0000", chat=chat)).files
            files.append(path.split("/"))
    assert [file[0] for file in files] == ["uploads", "uploads"]
    assert files[0][1] != files[1][1]
