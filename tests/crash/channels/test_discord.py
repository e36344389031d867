"""A gateway with the real Discord channel dies; all of the points take minutes: `python -m tests.crash.channels`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.channels.discord import discord
from tests.crash.channels.stage import opened, perform
from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.processes.started import Nursery

DEATHS = (
    Death(name="inbox.accept of a message", moment=Moment.BEFORE, nth=4),
    Death(name="inbox.accept of a message", moment=Moment.INSIDE, nth=6),
    Death(name="endings.finish", moment=Moment.AFTER, nth=3),
    Death(name="post a message", moment=Moment.ARRIVED, nth=2),
    Death(name="post a message", moment=Moment.TAKEN, nth=5),
)


@pytest.fixture(scope="module")
def ground() -> Iterator[tuple[Nursery, Path]]:
    with opened() as made:
        yield made


@pytest.mark.parametrize("death", DEATHS, ids=lambda death: f"{death.point}")
async def test_nothing_is_lost_or_repeated_when_a_gateway_dies(ground: tuple[Nursery, Path], death: Death) -> None:
    nursery, folder = ground
    async with discord() as wire:
        found = await perform(nursery, wire, folder, [death])
    assert (found.wrong, found.kills) == ([], 1)
