"""T2 and leases: one holder a chat, oldest first, and what becomes of a lease that its holder left behind."""

import asyncio
from dataclasses import replace

from core.domain.step import Nudged, Stamped
from core.ports import Lease
from tests.fakes.clock import FakeClock
from tests.store.desk import LEASE_MS, Desk, ending, new_key

LEASE_S = LEASE_MS / 1000
NUDGE = (Stamped(seq=1, step=Nudged(text="go on")),)


async def test_the_chat_whose_turn_waits_longest_is_claimed_first(desk: Desk) -> None:
    for chat in ("c3", "c1", "c2"):
        await desk.hears("hello", chat=chat)
    assert [claim.chat.chat_id for claim in await desk.turns.claim(5)] == ["c3", "c1", "c2"]


async def test_no_more_is_claimed_than_asked_for(desk: Desk) -> None:
    for n in range(5):
        await desk.hears("hello", chat=f"c{n}")
    assert [len(await desk.turns.claim(most)) for most in (0, 2, 2, 2, 2)] == [0, 2, 2, 1, 0]


async def test_a_claim_carries_what_the_turn_needs(desk: Desk, clock: FakeClock) -> None:
    await desk.hears("hello")
    await desk.chats.set_model(1, "second")
    claim = await desk.claims()
    assert (claim.turn, claim.fence, claim.signals, claim.epoch, claim.attempt) == (1, 1, 0, 0, 1)
    assert (claim.agent, claim.choice.names, claim.shared) == ("main", ("first",), False)
    assert await desk.rows("SELECT owner, until FROM chats") == [("worker-a", clock.now() + LEASE_MS)]
    assert await desk.rows("SELECT state, attempt FROM turns") == [("running", 1)]


async def test_only_the_oldest_turn_of_a_chat_can_be_claimed(desk: Desk) -> None:
    for n in range(3):
        await desk.hears(f"{n}")
    order = []
    for _ in range(3):
        claims = await desk.turns.claim(5)
        order += [claim.turn for claim in claims]
        assert await desk.turns.claim(5) == []
        await desk.finishes(claims[0])
    assert order == [1, 2, 3]


async def test_two_workers_never_hold_the_same_chat(desk: Desk, other: Desk) -> None:
    for n in range(20):
        await desk.hears("hello", chat=f"c{n}")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.turns.claim(3)) for one in (desk, other) * 5]
    claims = [claim for task in tasks for claim in task.result()]
    assert len(claims) == 20
    assert len({claim.chat_row for claim in claims}) == 20


async def test_intake_does_not_claim_a_chat_that_another_worker_holds(desk: Desk, other: Desk) -> None:
    await desk.starts("first")
    assert (await other.hears("second", slot=True)).claim is None
    assert await other.turns.claim(5) == []


async def test_a_lease_is_its_holders_until_it_ends(desk: Desk, other: Desk, clock: FakeClock) -> None:
    await desk.starts("work")
    await clock.advance(LEASE_S)
    assert await other.turns.claim(1) == []
    await clock.advance(0.001)
    taken = await other.claims()
    assert (taken.turn, taken.fence, taken.attempt) == (1, 2, 2)
    assert await desk.rows("SELECT owner FROM chats") == [("worker-b",)]


async def test_the_old_holder_of_a_taken_lease_writes_nothing_any_more(
    desk: Desk, other: Desk, clock: FakeClock
) -> None:
    old = await desk.starts("work")
    await clock.advance(LEASE_S + 1)
    new = await other.claims()
    assert not await desk.turns.append(old, NUDGE)
    finished = await desk.turns.finish(old, ending("late"), key=new_key(), send_now=True)
    assert (finished.lost, finished.changed, finished.delivery) == (True, False, None)
    await desk.turns.release(old)
    assert await desk.rows("SELECT count(*) FROM steps") == [(0,)]
    assert await desk.rows("SELECT count(*) FROM outbox") == [(0,)]
    assert await desk.rows("SELECT owner, fence, live FROM chats") == [("worker-b", 2, 1)]
    assert not (await other.finishes(new)).lost


async def test_a_holder_whom_nobody_replaced_may_still_finish_late(desk: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("work")
    await clock.advance(LEASE_S * 10)
    assert await desk.turns.append(claim, NUDGE)
    assert not (await desk.finishes(claim)).lost


async def test_a_renewed_lease_lasts_and_tells_fence_and_signals(desk: Desk, other: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("work")
    await desk.starts("more", chat="second")
    for _ in range(5):
        await clock.advance(LEASE_S - 1)
        leases = await desk.turns.renew([1, 2])
        assert leases == {
            1: Lease(fence=claim.fence, signals=claim.signals),
            2: Lease(fence=claim.fence, signals=claim.signals),
        }
    assert await other.turns.claim(5) == []


async def test_a_renewal_leaves_out_what_is_lost(desk: Desk, other: Desk, clock: FakeClock) -> None:
    await desk.starts("work")
    await desk.starts("stopped", chat="second")
    await clock.advance(LEASE_S + 1)
    assert (await other.claims()).chat_row == 1
    await desk.hears("/stop", chat="second")
    assert await desk.turns.renew([1]) == {}
    assert (await other.turns.renew([1])).keys() == {1}


async def test_a_released_turn_goes_on_with_any_worker_and_counts_no_attempt(desk: Desk, other: Desk) -> None:
    claim = await desk.starts("work")
    await desk.turns.append(claim, NUDGE)
    await desk.turns.release(claim)
    assert await desk.rows("SELECT state, attempt FROM turns") == [("queued", 0)]
    assert await desk.rows("SELECT owner, until, ready, live FROM chats") == [(None, None, 1, 1)]
    taken = await other.claims()
    assert (taken.turn, taken.attempt, taken.fence) == (1, 1, 2)
    (exchange,) = await other.turns.history(taken, 0)
    assert exchange.steps == NUDGE


async def test_releasing_again_and_again_never_counts_below_nothing(desk: Desk) -> None:
    await desk.hears("work")
    for _ in range(4):
        claim = await desk.claims()
        assert claim.attempt == 1
        await desk.turns.release(claim)
        await desk.turns.release(claim)
    assert await desk.rows("SELECT attempt FROM turns") == [(0,)]


async def test_attempts_count_crashes(desk: Desk, clock: FakeClock) -> None:
    attempts = [(await desk.starts("work")).attempt]
    for _ in range(4):
        await clock.advance(LEASE_S + 1)
        attempts.append((await desk.claims()).attempt)
    assert attempts == [1, 2, 3, 4, 5]


async def test_leases_left_behind_are_voided_at_start_whatever_the_clock_says(
    desk: Desk, other: Desk, clock: FakeClock
) -> None:
    await desk.starts("work")
    await desk.starts("more", chat="second")
    await clock.advance(-3600)
    assert await other.turns.void_leases() == 2
    assert await other.turns.void_leases() == 0
    claims = await other.turns.claim(5)
    assert [(claim.turn, claim.attempt, claim.fence) for claim in claims] == [(1, 2, 2), (2, 2, 2)]


async def test_a_fence_only_ever_grows(desk: Desk, clock: FakeClock) -> None:
    fences = []
    for _ in range(3):
        claim = await desk.starts("work")
        fences.append(claim.fence)
        await clock.advance(LEASE_S + 1)
        claim = await desk.claims()
        fences.append(claim.fence)
        await desk.hears("/stop")
    assert fences == sorted(set(fences))


async def test_an_old_claim_is_worth_nothing_after_stop_and_a_new_turn(desk: Desk) -> None:
    old = await desk.starts("work")
    await desk.hears("/stop")
    new = await desk.starts("another")
    forged = replace(old, turn=new.turn)
    assert not await desk.turns.append(forged, NUDGE)
    assert (await desk.turns.finish(forged, ending(), key=new_key(), send_now=False)).lost
    assert await desk.turns.append(new, NUDGE)


async def test_a_busy_chat_holds_up_no_other(desk: Desk, other: Desk) -> None:
    await desk.starts("slow", chat="slow")
    for n in range(3):
        await desk.hears(f"behind {n}", chat="slow")
    await desk.hears("quick", chat="quick")
    assert [claim.chat.chat_id for claim in await other.turns.claim(5)] == ["quick"]
