"""What an operator does to deliveries by hand."""

from core.domain.delivery import DeliveryState
from core.ports import Retry
from core.store import listing, redrive
from tests.fakes.clock import FakeClock
from tests.store.desk import LANE, Desk, receipt, words


async def test_a_dead_delivery_is_sent_after_all(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies("lost")
    dead = await desk.next(row)
    await desk.outbox.dead(dead, "Unreachable: blocked")
    await clock.advance(30 * 3600)
    assert await desk.store.run(redrive.retry, dead.id)
    assert await desk.outbox.due(LANE) == [row]
    again = await desk.next(row)
    assert (words(again), again.key, again.attempt, again.created_at) == ("lost", dead.key, 1, clock.now())
    assert await desk.rows("SELECT error, closed_at FROM outbox") == [(None, None)]


async def test_a_waiting_delivery_is_sent_now(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies()
    await desk.outbox.retry(await desk.next(row), Retry(not_before=clock.now() + 900_000, error="busy"))
    assert await desk.outbox.due(LANE) == []
    assert await desk.store.run(redrive.retry, 1)
    assert await desk.outbox.due(LANE) == [row]


async def test_what_is_sent_being_sent_unsure_or_unknown_is_not_retried(desk: Desk) -> None:
    row = await desk.replies()
    delivery = await desk.next(row)
    assert not await desk.store.run(redrive.retry, delivery.id)
    await desk.outbox.unsettle(LANE)
    assert not await desk.store.run(redrive.retry, delivery.id)
    await desk.outbox.sent(delivery, receipt(), more=False, stored=False)
    assert not await desk.store.run(redrive.retry, delivery.id)
    assert not await desk.store.run(redrive.retry, 99)
    assert await desk.rows("SELECT state FROM outbox") == [("sent",)]


async def test_a_part_that_died_goes_on_where_it_was(desk: Desk) -> None:
    delivery = await desk.next(await desk.replies())
    await desk.outbox.keep_parts(delivery, [{"text": "one"}, {"text": "two"}])
    await desk.outbox.sent(delivery, receipt(), more=True, stored=True)
    await desk.outbox.dead(delivery, "gone")
    assert await desk.store.run(redrive.retry, delivery.id)
    again = await desk.next(delivery.chat_row)
    assert (again.part, again.attempt) == (1, 1)
    assert len(await desk.outbox.stored_parts(again)) == 2


async def test_a_dropped_delivery_is_dead_with_its_reason_and_the_next_one_goes_out(
    desk: Desk, clock: FakeClock
) -> None:
    row = await desk.replies("unwanted")
    await desk.replies("wanted")
    assert await desk.store.run(redrive.drop, 1)
    assert not await desk.store.run(redrive.drop, 1)
    assert words(await desk.next(row)) == "wanted"
    (line,) = await desk.store.read(listing.outbox_list, 10, DeliveryState.DEAD)
    assert (line.id, line.error, line.closed_at) == (1, "dropped by the operator", clock.now())


async def test_what_is_final_cannot_be_dropped(desk: Desk) -> None:
    delivery = await desk.next(await desk.replies())
    await desk.outbox.sent(delivery, receipt(), more=False, stored=False)
    assert not await desk.store.run(redrive.drop, delivery.id)
    assert not await desk.store.run(redrive.drop, 99)
    assert await desk.rows("SELECT state, error FROM outbox") == [("sent", None)]


async def test_a_dropped_delivery_can_be_taken_back(desk: Desk) -> None:
    row = await desk.replies("on second thought")
    await desk.store.run(redrive.drop, 1)
    assert await desk.store.run(redrive.retry, 1)
    assert words(await desk.next(row)) == "on second thought"
