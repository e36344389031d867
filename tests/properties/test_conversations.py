"""Whatever happens in whatever order: nothing is lost, nothing is said twice, and the chat goes on."""

import asyncio
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from gateway.wiring import Gateway
from tests.fakes.gateway import opened
from tests.fakes.platform import Profile
from tests.properties.acts import ACTS, CRASH, RESTART, USUAL, Act, left_behind
from tests.properties.checks import untrue
from tests.properties.conftest import Tries, scripts
from tests.properties.rows import ALWAYS, QUIET, SETTLED, wrong
from tests.properties.town import CHATS, Town, town

SCRIPTS = scripts(st.tuples(st.sampled_from(USUAL), st.integers(0, 11), st.integers(0, 25)), 40)
PROFILES = (Profile.KEY, Profile.READBACK, Profile.NONE)
MOST_STEPS = 400
ROUNDS = 40
DAY_S = 25 * 3600.0


async def play(here: Town, script: list[Act]) -> None:
    """All acts, with a new gateway after each that ends the old one; then everything comes to rest."""
    left = deque(script)
    while True:
        async with opened(here.house) as gateway:
            while left and left[0][0] in ACTS:
                name, n, m = left.popleft()
                await ACTS[name](here, gateway, n, m)
                await gateway.world.store.run(agrees)
            if not left:
                await ends(here, gateway)
                return
        name, n, _ = left.popleft()
        assert name in (RESTART, CRASH)
        if name == CRASH:
            await left_behind(here, n)


async def ends(here: Town, gateway: Gateway) -> None:
    """It settles; what was asked runs out of time; and then every chat still answers."""
    here.gate.opens(stays=True)
    await settles(here, gateway)
    await holds(here, gateway, settled=True)
    for _ in range(ROUNDS):
        if not await gateway.world.store.read(wrong, QUIET):
            break
        await here.passes(gateway, DAY_S)
        for _ in range(3):
            await here.passes(gateway, 0.5)
        await settles(here, gateway)
    await holds(here, gateway, settled=True, quiet=True)
    for chat in range(len(CHATS)):
        number = here.number()
        here.says("olga", f"{number} hello", chat)
        await settles(here, gateway)
        told = [line.text for line in here.platform.ledger.lines(CHATS[chat][0])]
        assert any(words.endswith(f"to {number}") for words in told), f"{CHATS[chat]} is dead: {told[-3:]}"
    await holds(here, gateway, settled=True, quiet=True)


async def settles(here: Town, gateway: Gateway) -> None:
    """Time passes until nothing can go on by itself: in small steps while anybody works, else in long ones."""
    broken: list[str] = []
    for _ in range(MOST_STEPS):
        broken = [*(["an event is open"] if here.platform.events.open() else []), *await left_to_do(gateway)]
        if not broken:
            return
        await here.passes(gateway, 60.0 if all("sent" in one for one in broken) else 0.5)
    raise AssertionError("\n".join(["it never settles:", *broken]))


async def left_to_do(gateway: Gateway) -> list[str]:
    """What can still go on by itself."""
    first = dict(list(SETTLED.items())[:4])
    return await gateway.world.store.read(wrong, first)


async def holds(here: Town, gateway: Gateway, *, settled: bool, quiet: bool = False) -> None:
    """Everything that has to."""
    promises = [ALWAYS, *([SETTLED] if settled else []), *([QUIET] if quiet else [])]
    broken = [*await gateway.world.store.read(wrong, *promises), *await gateway.world.store.read(untrue, here)]
    assert not broken, "\n".join(broken)


def agrees(conn: Connection) -> None:
    """The rows, at any moment."""
    broken = wrong(conn, ALWAYS)
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize("turns", [1, 4])
def test_nothing_is_lost_doubled_or_stuck(tries: Tries, empty_store: Path, turns: int) -> None:
    @tries(16)
    @given(script=SCRIPTS, profile=st.sampled_from(PROFILES))
    def run(script: list[Act], profile: Profile) -> None:
        with TemporaryDirectory() as folder:
            asyncio.run(play(town(Path(folder), empty_store, profile, turns), script))

    run()
