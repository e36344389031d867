"""What the core is told of the settings about waiting and lateness."""

from core.domain.chat import ChatKey, QueueMode
from gateway.by_chat import HOUR_MS, max_age, queueing
from gateway.roster import Roster
from tests.unit.settings.place import Place

HERE = ChatKey(channel="terminal", account="ann", chat_id="default")
THERE = ChatKey(channel="pigeon", account="ann", chat_id="default")


def test_bounds_and_modes_reach_the_core(place: Place) -> None:
    settings = place.writes(
        "[limits]\nqueued_chat = 7\nqueued_person = 3\ncollect_s = 0.5\ncollect_messages = 4\n"
        '[channels.terminal]\nqueue = "collect"\n'
    ).loads()
    found = queueing(Roster(settings))
    assert (found.chat, found.person, found.burst_ms, found.burst) == (7, 3, 500, 4)
    assert (found.mode(HERE), found.mode(THERE)) == (QueueMode.COLLECT, QueueMode.QUEUE)


def test_an_age_is_the_operators_or_the_channels_own(place: Place) -> None:
    usual = max_age(Roster(place.loads()))
    assert (usual(HERE), usual(THERE)) == (24 * HOUR_MS, 24 * HOUR_MS)
    chosen = max_age(Roster(place.writes("[channels.terminal]\nmax_age = 0.5\n").loads()))
    assert (chosen(HERE), chosen(THERE)) == (HOUR_MS // 2, 24 * HOUR_MS)
