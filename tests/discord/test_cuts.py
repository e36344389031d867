"""Connections that break."""

import pytest

from tests.discord.cuts import endure


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_is_lost_doubled_or_reordered_however_often_the_gateway_is_cut(seed: int) -> None:
    found = await endure(messages=200, cuts=20, seed=seed)
    assert (found.lost, found.doubled, found.reordered) == (0, 0, False)
    assert found.resumes
    assert found.identifies > 1
