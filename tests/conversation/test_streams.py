"""Answers that are shown while they are written."""

import asyncio
from dataclasses import replace

from core.domain.errors import ModelUnreachable
from core.models.scripted import ScriptedModel, breaks_off, hangs, says, says_slowly
from core.store.lock import FileLock
from core.store.store import open_sqlite
from gateway.locks import Place
from gateway.roles import run
from gateway.wiring import wire
from tests.fakes.chance import FakeChance
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform


async def test_a_stream_that_breaks_off_is_begun_anew_and_shown_once(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    clock = FakeClock()
    model.then(
        breaks_off("The pump has three valves ", ModelUnreachable("incomplete chunked read")),
        says("The pump has three valves and one filter."),
    )
    world = replace(house, clock=clock, chance=FakeChance())
    async with opened(world) as gateway:
        await platform.person("anna").says("tell")
        await clock.run_until(platform.hears("The pump has three valves and one filter."))
        channel = gateway.world.channels[0]
        assert isinstance(channel, FakeChannel)
        drafts = [text for _, text in channel.drafts]
    assert [sent.text for sent in platform.ledger.lines()] == ["The pump has three valves and one filter."]
    assert all(text.count("The pump") <= 1 for text in drafts)


async def test_nothing_is_streamed_where_nobody_watches(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    model.then(says("plain"))
    (house.folder / "workspace").mkdir()
    store = open_sqlite(house.database, house.clock)
    blind = FakeChannel(platform)
    blind.limits = replace(blind.limits, drafts=False)
    gateway = wire(house.world(store, [blind]))
    place = Place(database=house.database, lock=FileLock(house.folder / "worker.lock"))
    async with asyncio.TaskGroup() as group:
        task = group.create_task(run(gateway, place))
        await platform.person("anna").says("hello")
        await platform.hears("plain")
        task.cancel()
    store.close()
    assert not blind.drafts


async def test_a_turn_that_works_too_long_is_ended(house: House, platform: FakePlatform, model: ScriptedModel) -> None:
    model.then(hangs())
    async with opened(replace(house, turn_hours=0.05 / 3600)):
        await platform.person("anna").says("think")
        await platform.hears("hours of work reached")


async def test_a_draft_grows_until_the_answer_takes_its_place(
    house: House, platform: FakePlatform, model: ScriptedModel
) -> None:
    gate = asyncio.Event()
    model.then(says_slowly("It is ", gate.wait, "late."))
    async with opened(house) as gateway:
        channel = gateway.world.channels[0]
        assert isinstance(channel, FakeChannel)
        await platform.person("anna").says("what time?")
        while not channel.drafts:
            await asyncio.sleep(0)
        assert platform.ledger.lines() == []
        gate.set()
        await platform.hears("It is late.")
