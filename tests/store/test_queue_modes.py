"""Queue modes in the store: what steers, what is collected, what interrupts, and how much may wait."""

from dataclasses import replace

import pytest

from core.decide.view import Queueing, Rules
from core.domain.chat import QueueMode
from core.domain.step import ModelAnswered, Stamped
from core.ports import Accepted, Signal
from core.store.store import Store
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, admission, message, person, place, words

BURST_MS = 2_000
ANSWERED = (Stamped(seq=1, step=ModelAnswered(text="")),)


def rules(mode: QueueMode, *, chat: int = 50, people: int = 20, burst: int = 3) -> Rules:
    """The desk's own, with a queue mode for every chat."""
    queueing = Queueing(mode=lambda key: mode, chat=chat, person=people, burst_ms=BURST_MS, burst=burst)
    return replace(admission().rules, queueing=queueing)


@pytest.fixture
def steering(store: Store) -> Desk:
    return Desk(store, rules=rules(QueueMode.STEER))


@pytest.fixture
def collecting(store: Store) -> Desk:
    return Desk(store, rules=rules(QueueMode.COLLECT))


@pytest.fixture
def interrupting(store: Store) -> Desk:
    return Desk(store, rules=rules(QueueMode.INTERRUPT))


# --- steer ---


async def test_words_that_steer_belong_to_the_running_turn_and_signal_it(steering: Desk) -> None:
    claim = await steering.starts("work")
    accepted = await steering.hears("shorter, please", slot=True)
    assert accepted == Accepted(inbound=2, chat_row=1, turn=1, signal=Signal(turn=1, count=1))
    assert await steering.rows("SELECT lane, turn, content, drop_reason FROM inbound WHERE id = 2") == [
        ("steer", 1, "shorter, please", None)
    ]
    assert await steering.rows("SELECT live, signals FROM chats") == [(1, 1)]
    assert (await steering.finishes(claim)).changed


async def test_a_turn_that_was_given_back_is_steered_like_any_other(steering: Desk) -> None:
    await steering.turns.release(await steering.starts("work"))
    assert (await steering.hears("shorter")).signal is None
    claim = await steering.claims()
    await steering.turns.append(claim, [Stamped(seq=1, step=ModelAnswered(text="hm"))])
    await steering.turns.release(claim)
    assert (await steering.hears("longer")).signal == Signal(turn=1, count=1)


async def test_with_nothing_at_work_nothing_is_steered(steering: Desk) -> None:
    queued = await steering.hears("first")
    behind = await steering.hears("second")
    assert (queued.signal, behind.signal, behind.queued_before) == (None, None, 1)
    assert await steering.rows("SELECT lane, turn FROM inbound") == [("turn", None), ("turn", None)]


async def test_steering_once_works_in_every_mode_and_stores_only_the_words(desk: Desk) -> None:
    await desk.starts("work")
    accepted = await desk.hears("/steer shorter, please")
    assert accepted.signal == Signal(turn=1, count=1)
    assert await desk.rows("SELECT lane, turn, content, command, pending FROM inbound WHERE id = 2") == [
        ("steer", 1, "shorter, please", None, 0)
    ]


async def test_steering_an_idle_chat_is_an_ordinary_message(desk: Desk) -> None:
    accepted = await desk.hears("/steer shorter", slot=True)
    assert accepted.claim is not None
    assert await desk.rows("SELECT lane, content FROM inbound") == [("turn", "shorter")]


async def test_a_stop_ends_what_was_steered_with_it(steering: Desk) -> None:
    await steering.starts("work")
    await steering.hears("shorter")
    assert (await steering.hears("/stop")).stopped == (1,)
    assert await steering.rows("SELECT live FROM chats") == [(0,)]


# --- collect ---


async def test_a_burst_is_held_by_nobody_and_is_one_turn(collecting: Desk, clock: FakeClock) -> None:
    first = await collecting.hears("one", slot=True)
    assert first == Accepted(inbound=1, chat_row=1, turn=1, burst_ms=BURST_MS)
    assert await collecting.rows("SELECT owner, until, ready, live, fence FROM chats") == [
        ("collect", clock.now() + BURST_MS, 1, 1, 0)
    ]
    await clock.advance(1)
    second = await collecting.hears("two", slot=True)
    assert second == Accepted(inbound=2, chat_row=1, turn=1, burst_ms=BURST_MS)
    assert await collecting.rows("SELECT lane, turn FROM inbound ORDER BY id") == [("turn", None), ("turn", 1)]
    assert await collecting.rows("SELECT until, live FROM chats") == [(clock.now() + BURST_MS, 1)]
    assert await collecting.turns.claim(5) == []
    await clock.advance(2.001)
    assert (await collecting.claims()).turn == 1


async def test_the_last_of_a_burst_lets_it_go_at_once(collecting: Desk) -> None:
    accepted = [await collecting.hears(f"{n}") for n in range(3)]
    assert (accepted[2].burst_ms, accepted[2].resumed) == (0, True)
    claim = await collecting.claims()
    assert claim.turn == 1
    fourth = await collecting.hears("4")
    assert (fourth.queued_before, fourth.burst_ms) == (1, 0)
    assert await collecting.rows("SELECT id, state FROM turns") == [(1, "running"), (4, "queued")]


async def test_behind_a_running_turn_messages_join_the_newest_that_waits(collecting: Desk) -> None:
    await collecting.hears("one")
    await collecting.turns.void_leases()
    await collecting.claims()
    joined = [await collecting.hears(f"later {n}") for n in range(5)]
    assert [one.queued_before for one in joined] == [1, 1, 1, 2, 2]
    assert await collecting.rows("SELECT id, state FROM turns") == [(1, "running"), (2, "queued"), (5, "queued")]
    assert await collecting.rows("SELECT id, turn FROM inbound ORDER BY id") == [
        (1, None),
        (2, None),
        (3, 2),
        (4, 2),
        (5, None),
        (6, 5),
    ]


async def test_a_burst_is_of_one_person(collecting: Desk) -> None:
    await collecting.hears("mine")
    other = await collecting.hears("ours", user="ben")
    again = await collecting.hears("mine again")
    assert (other.queued_before, again.queued_before) == (1, 2)
    assert await collecting.rows("SELECT id FROM turns") == [(1,), (2,), (3,)]


async def test_a_turn_that_was_begun_is_joined_by_nothing(collecting: Desk, clock: FakeClock) -> None:
    await collecting.hears("one")
    await clock.advance(3)
    claim = await collecting.claims()
    await collecting.turns.append(claim, ANSWERED)
    await collecting.turns.release(claim)
    await collecting.hears("two")
    assert await collecting.rows("SELECT id, turn FROM inbound") == [(1, None), (2, None)]


async def test_a_burst_survives_its_process(collecting: Desk) -> None:
    await collecting.hears("one")
    await collecting.turns.void_leases()
    assert (await collecting.claims()).turn == 1


async def test_a_stop_drops_a_burst_before_it_began(collecting: Desk) -> None:
    await collecting.hears("one")
    await collecting.hears("two")
    assert (await collecting.hears("/stop")).stopped == (1,)
    assert await collecting.rows("SELECT live, owner, until, ready FROM chats") == [(0, None, None, None)]


async def test_what_is_dropped_together_is_counted_one_by_one(collecting: Desk) -> None:
    await collecting.hears("one")
    await collecting.turns.void_leases()
    await collecting.claims()
    for n in range(4):
        await collecting.hears(f"later {n}")
    await collecting.hears("/stop")
    assert words(await collecting.outbox.next(1)) == "Stopped. 4 waiting messages dropped."


# --- interrupt ---


async def test_new_words_end_the_running_turn_and_begin_the_next_in_one_commit(interrupting: Desk) -> None:
    claim = await interrupting.starts("first")
    accepted = await interrupting.hears("second", slot=True)
    assert accepted.stopped == (1,)
    assert accepted.claim is not None
    assert (accepted.claim.turn, accepted.claim.fence, accepted.queued_before) == (2, 3, 0)
    assert await interrupting.rows("SELECT id, state FROM turns") == [(1, "stopped"), (2, "running")]
    assert await interrupting.rows("SELECT live, ready, owner FROM chats") == [(1, 2, "worker-a")]
    assert (await interrupting.finishes(claim)).lost
    assert not (await interrupting.finishes(accepted.claim)).lost


async def test_a_turn_whose_worker_died_is_interrupted_like_any_other(interrupting: Desk) -> None:
    await interrupting.starts("first")
    await interrupting.turns.void_leases()
    accepted = await interrupting.hears("second", slot=True)
    assert (accepted.stopped, accepted.claim is not None) == ((1,), True)
    assert await interrupting.rows("SELECT id, state FROM turns") == [(1, "stopped"), (2, "running")]


async def test_a_turn_that_nobody_has_begun_is_not_interrupted(interrupting: Desk) -> None:
    await interrupting.hears("first")
    accepted = await interrupting.hears("second")
    assert (accepted.stopped, accepted.queued_before) == ((), 1)


async def test_without_a_free_slot_the_new_words_wait_for_one(interrupting: Desk) -> None:
    await interrupting.starts("first")
    accepted = await interrupting.hears("second")
    assert (accepted.claim, accepted.stopped) == (None, (1,))
    assert (await interrupting.claims()).turn == 2


async def test_what_waited_before_an_interrupt_keeps_its_place(desk: Desk) -> None:
    await desk.starts("first")
    await desk.hears("second")
    await desk.chats.set_queue_mode(1, QueueMode.INTERRUPT)
    accepted = await desk.hears("third", slot=True)
    assert (accepted.stopped, accepted.claim, accepted.queued_before, accepted.resumed) == ((1,), None, 1, True)
    assert (await desk.claims()).turn == 2
    assert await desk.rows("SELECT live FROM chats") == [(2,)]


# --- the mode of a chat ---


async def test_a_chosen_mode_is_kept_and_goes_before_the_default(steering: Desk) -> None:
    await steering.starts("work")
    assert (await steering.chats.queue(1)).mode is None
    await steering.chats.set_queue_mode(1, QueueMode.QUEUE)
    assert (await steering.chats.queue(1)).mode is QueueMode.QUEUE
    assert (await steering.hears("later")).signal is None
    await steering.hears("/new")
    assert (await steering.chats.queue(1)).mode is QueueMode.QUEUE


# --- how much may wait ---


async def test_a_person_may_have_so_many_waiting_and_others_still_speak(store: Store) -> None:
    desk = Desk(store, rules=rules(QueueMode.QUEUE, chat=5, people=2))
    await desk.starts("running")
    assert [(await desk.hears(f"{n}")).dropped for n in range(3)] == [None, None, "queue_full"]
    assert [(await desk.hears(f"{n}", user="ben")).dropped for n in range(3)] == [None, None, "queue_full"]
    assert await desk.rows("SELECT live FROM chats") == [(5,)]


async def test_collected_messages_count_one_by_one(store: Store) -> None:
    desk = Desk(store, rules=rules(QueueMode.COLLECT, chat=4, people=4, burst=3))
    await desk.hears("one")
    await desk.turns.void_leases()
    await desk.claims()
    assert [(await desk.hears(f"{n}")).dropped for n in range(5)] == [None, None, None, None, "queue_full"]


async def test_that_the_queue_is_full_is_said_once_and_recorded_each_time(store: Store) -> None:
    desk = Desk(store, queued=1)
    claim = await desk.starts("running")
    await desk.hears("waits")
    refused = [await desk.hears(f"too many {n}") for n in range(3)]
    assert [(one.dropped, one.replies) for one in refused] == [
        ("queue_full", True),
        ("queue_full", False),
        ("queue_full", False),
    ]
    assert await desk.rows("SELECT count(*) FROM inbound WHERE drop_reason = 'queue_full' AND content <> ''") == [(3,)]
    assert (await desk.hears("me too", user="ben")).replies
    await desk.finishes(claim)
    await desk.claims()
    assert (await desk.hears("fits")).dropped is None
    assert (await desk.hears("too many")).replies


# --- who started it ---


async def test_in_a_shared_chat_a_bystander_stops_nothing(desk: Desk) -> None:
    await desk.takes(replace(message("work"), shared=True), slot=True)
    refused = await desk.takes(replace(message("/stop", sender=person("ben")), shared=True))
    assert (refused.dropped, refused.stopped, refused.replies) == ("stop_not_yours", (), True)
    assert words(await desk.outbox.next(1)) == "Only Anna or an owner can do that."
    assert await desk.rows("SELECT state FROM turns") == [("running",)]
    assert (await desk.takes(replace(message("/stop"), shared=True))).stopped == (1,)


async def test_whoever_started_the_oldest_turn_is_asked_about(desk: Desk) -> None:
    chat = place("elsewhere")
    await desk.takes(replace(message("ben's", chat=chat, sender=person("ben")), shared=True), slot=True)
    await desk.takes(replace(message("anna's", chat=chat), shared=True))
    assert (await desk.takes(replace(message("/new", chat=chat), shared=True))).dropped == "stop_not_yours"
    assert await desk.rows("SELECT live, session FROM chats") == [(2, 0)]
