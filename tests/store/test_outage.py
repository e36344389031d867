"""What came too late: stored, counted, announced once."""

from dataclasses import replace

import pytest

from core.decide.waits import moment
from core.domain.message import Inbound, InboundKind
from core.domain.texts import Texts
from core.store.outage import QUIET_MS
from core.store.store import Store
from core.store.waits_port import StoredWaits
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, admission, message, person, place, words

DAY = 24 * 3_600_000


@pytest.fixture
def strict(store: Store) -> Desk:
    """A desk that answers nothing older than a day."""
    return Desk(store, rules=replace(admission().rules, max_age=lambda chat: DAY))


@pytest.fixture
def clockwork(strict: Desk) -> StoredWaits:
    """What time brings about."""
    return StoredWaits(strict.store, Texts({}))


def old(clock: FakeClock, content: str = "hello?", *, beyond: int = 1, chat: str = "room") -> Inbound:
    """Something said so many milliseconds too early."""
    return replace(message(content, chat=place(chat)), at=clock.now() - DAY - beyond)


async def test_what_is_too_old_is_kept_and_starts_nothing(strict: Desk, clock: FakeClock) -> None:
    accepted = await strict.takes(old(clock), slot=True)
    assert (accepted.dropped, accepted.claim, accepted.replies) == ("too_old", None, False)
    assert await strict.rows("SELECT content, drop_reason, lane, choice IS NOT NULL FROM inbound") == [
        ("hello?", "too_old", "turn", 1)
    ]
    assert await strict.rows("SELECT live, missed, missed_first, missed_at FROM chats") == [(0, 1, 1, clock.now())]
    in_time = replace(message("hello"), at=clock.now() - DAY)
    assert (await strict.takes(in_time, slot=True)).claim is not None


async def test_the_first_message_in_time_announces_all_that_came_before(strict: Desk, clock: FakeClock) -> None:
    since = clock.now() - DAY - 60_000
    for n in range(3):
        await strict.takes(old(clock, f"{n}", beyond=60_000 - n))
    accepted = await strict.takes(replace(message("here I am"), at=clock.now()), slot=True)
    assert accepted.replies
    assert accepted.claim is not None
    assert words(await strict.outbox.next(1)) == (
        f"I was away from {moment(since)} to {moment(clock.now())}; 3 older messages here are not answered."
        " /retry answers the last one."
    )
    assert await strict.rows("SELECT missed, missed_first, missed_at FROM chats") == [(0, None, None)]
    await strict.takes(replace(message("and now?"), at=clock.now()))
    assert await strict.rows("SELECT count(*) FROM outbox") == [(1,)]


async def test_where_nothing_else_comes_the_clock_announces(
    strict: Desk, clock: FakeClock, clockwork: StoredWaits
) -> None:
    await strict.takes(old(clock))
    await clock.advance(QUIET_MS / 1000 - 1)
    await strict.takes(old(clock))
    await clock.advance(QUIET_MS / 1000 - 0.001)
    assert await clockwork.tick() == ()
    await clock.advance(0.001)
    assert await clockwork.tick() == [(1, place())]
    assert "2 older messages here are not answered" in str(words(await strict.outbox.next(1)))
    assert await clockwork.tick() == ()


async def test_each_chat_and_each_outage_is_announced_by_itself(
    strict: Desk, clock: FakeClock, clockwork: StoredWaits
) -> None:
    await strict.takes(old(clock, chat="one"))
    await strict.takes(old(clock, chat="two"))
    await clock.advance(60)
    assert sorted(row for row, _ in await clockwork.tick()) == [1, 2]
    await strict.takes(old(clock, chat="one"))
    await clock.advance(60)
    assert await clockwork.tick() == [(1, place("one"))]
    assert await strict.rows("SELECT chat, key FROM outbox ORDER BY id") == [
        (1, "away-1"),
        (2, "away-2"),
        (1, "away-3"),
    ]


async def test_what_starts_nothing_anyway_is_not_counted(strict: Desk, clock: FakeClock) -> None:
    for content, kind in (("/stop", InboundKind.MESSAGE), ("x", InboundKind.EDIT), ("t", InboundKind.BUTTON)):
        assert (await strict.takes(replace(old(clock, content), kind=kind))).dropped != "too_old"
    await strict.takes(replace(old(clock), sender=person("mallory")))
    assert await strict.rows("SELECT missed FROM chats") == [(0,)]


async def test_the_same_old_event_again_is_not_counted_again(strict: Desk, clock: FakeClock) -> None:
    event = old(clock)
    await strict.takes(event)
    assert (await strict.takes(event)).duplicate
    assert await strict.rows("SELECT missed FROM chats") == [(1,)]


async def test_a_stranger_brings_no_announcement(strict: Desk, clock: FakeClock) -> None:
    await strict.takes(old(clock))
    await strict.takes(replace(message("me?", sender=person("mallory")), at=clock.now()))
    assert await strict.rows("SELECT missed FROM chats") == [(1,)]
