"""What a chat remembers about itself, and what runs and waits in it."""

from core.ports import QueueView
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, receipt


async def test_a_chosen_model_is_kept_until_it_is_cleared(desk: Desk) -> None:
    row = await desk.replies()
    assert await desk.chats.model(row) is None
    await desk.chats.set_model(row, "second")
    assert await desk.chats.model(row) == "second"
    await desk.chats.set_model(row, None)
    assert await desk.chats.model(row) is None


async def test_a_model_is_chosen_for_one_chat_alone(desk: Desk) -> None:
    one, two = await desk.replies(chat="one"), await desk.replies(chat="two")
    await desk.chats.set_model(one, "second")
    assert await desk.chats.model(two) is None
    assert await desk.chats.model(99) is None


async def test_an_idle_chat_has_nothing_running_or_waiting(desk: Desk) -> None:
    row = await desk.replies()
    await desk.outbox.sent(await desk.next(row), receipt(), more=False, stored=False)
    assert await desk.chats.queue(row) == QueueView(running=None, since=None, waiting=0, undelivered=0)
    assert await desk.chats.queue(99) == QueueView(running=None, since=None, waiting=0, undelivered=0)


async def test_the_running_turn_is_shown_with_the_time_of_its_message(desk: Desk, clock: FakeClock) -> None:
    began = clock.now()
    claim = await desk.starts("work")
    await clock.advance(60)
    await desk.hears("one")
    await desk.hears("two")
    await desk.starts("elsewhere", chat="other")
    view = await desk.chats.queue(claim.chat_row)
    assert view == QueueView(running=claim.turn, since=began, waiting=2, undelivered=0)


async def test_what_nobody_has_claimed_only_waits(desk: Desk) -> None:
    await desk.hears("one")
    await desk.hears("two")
    assert await desk.chats.queue(1) == QueueView(running=None, since=None, waiting=2, undelivered=0)


async def test_replies_that_wait_are_counted_and_final_ones_are_not(desk: Desk) -> None:
    (row,) = {await desk.replies() for _ in range(3)}
    assert (await desk.chats.queue(row)).undelivered == 3
    await desk.outbox.dead(await desk.next(row), "gone")
    await desk.next(row)
    assert (await desk.chats.queue(row)).undelivered == 2
