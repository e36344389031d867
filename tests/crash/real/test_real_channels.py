"""Some of the points on each real channel; `python -m tests.crash.real` takes them all."""

import random
from collections.abc import Iterator

import pytest

from tests.crash.matrix.points import Moment
from tests.crash.matrix.wire import Death
from tests.crash.real.episode import perform
from tests.crash.real.fronts import PLATFORMS, Platform
from tests.crash.real.matrix import Ground, deaths, points
from tests.crash.real.matrix import ground as opened

SAMPLE = 2
# A message on its way, taken and not answered, answered and not noted: what nobody can know afterwards.
NOT_KNOWN = ("taken", "answered")


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """For all of them."""
    with opened() as made:
        yield made


def named(platform: Platform) -> str:
    """In the test's id."""
    return platform.name


@pytest.mark.parametrize("platform", PLATFORMS, ids=named)
async def test_nothing_is_lost_wherever_a_gateway_dies_and_repeats_are_only_what_nobody_could_know(
    ground: Ground, platform: Platform
) -> None:
    found = await points(ground, platform)
    never = [death for death in deaths(found, platform.name) if death.name in platform.calls]
    for death in [*never[-2:], *random.Random(1).sample(deaths(found, "quick"), SAMPLE)]:
        outcome = await perform(ground.nursery, ground.new_file, platform, death)
        assert not outcome.faults(platform), death


@pytest.mark.parametrize("moment", NOT_KNOWN)
async def test_what_was_taken_without_a_word_stands_once_more_at_most_and_with_placeholders_never(
    ground: Ground, moment: str
) -> None:
    resends, places = PLATFORMS[:2]
    death = Death(name="sendmessage", moment=Moment(moment), nth=2)
    outcome = await perform(ground.nursery, ground.new_file, resends, death)
    assert (outcome.died, outcome.faults(resends)) == (True, [])
    edited = Death(name="editmessagetext", moment=Moment(moment), nth=2)
    outcome = await perform(ground.nursery, ground.new_file, places, edited)
    assert (outcome.died, outcome.lost, outcome.repeats) == (True, [], 0)
