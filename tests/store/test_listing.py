"""What people see of the store: lists, one message's life, the overview."""

import json

import pytest

from core.domain.delivery import DeliveryState
from core.domain.message import Dropped
from core.domain.step import Nudged, Stamped
from core.domain.text import well_formed
from core.ports import Retry
from core.store import listing
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, ending, message, new_key, place, receipt
from tests.store.test_intake import HOSTILE


async def test_the_newest_events_come_first_with_the_state_of_their_turn(desk: Desk, clock: FakeClock) -> None:
    await desk.finishes(await desk.starts("answered"))
    claim = await desk.starts("broken")
    await desk.turns.finish(claim, ending(cause="an internal error"), key=new_key(), send_now=False)
    await desk.starts("stopped")
    await desk.hears("/stop")
    await desk.starts("running")
    await desk.hears("queued")
    await desk.hears("/help")
    await desk.hears("let me in", user="mallory")
    lines = await desk.store.read(listing.inbox, 100)
    assert [(line.id, line.state, line.turn) for line in lines] == [
        (8, "dropped", None),
        (7, "pending", None),
        (6, "queued", 6),
        (5, "running", 5),
        (4, "done", None),
        (3, "stopped", 3),
        (2, "broken", 2),
        (1, "done", 1),
    ]
    assert [line.drop_reason for line in lines[:2]] == ["not_listed", None]
    assert (lines[6].cause, lines[7].content, lines[7].received_at) == ("an internal error", "answered", clock.now())
    assert (lines[3].attempt, lines[2].attempt, lines[4].lane) == (1, 0, "control")


async def test_lists_are_as_long_as_asked_for_and_no_longer(desk: Desk) -> None:
    for n in range(7):
        await desk.hears(f"{n}")
    assert [line.content for line in await desk.store.read(listing.inbox, 3)] == ["6", "5", "4"]
    assert len(await desk.store.read(listing.inbox, 10_000_000)) == 7
    assert await desk.store.read(listing.inbox, 0) == []


async def test_deliveries_are_listed_newest_first_by_state_or_all(desk: Desk, clock: FakeClock) -> None:
    for n in range(4):
        await desk.replies(f"reply {n}")
    await desk.outbox.sent(await desk.next(1), receipt(), more=False, stored=False)
    await desk.outbox.dead(await desk.next(1), "Unreachable: blocked")
    await desk.outbox.retry(await desk.next(1), Retry(not_before=clock.now() + 5, error="busy"))
    lines = await desk.store.read(listing.outbox_list, 10)
    assert [(line.id, line.state, line.text) for line in lines] == [
        (4, "new", "reply 3"),
        (3, "new", "reply 2"),
        (2, "dead", "reply 1"),
        (1, "sent", "reply 0"),
    ]
    assert (lines[1].error, lines[1].not_before, lines[1].attempt) == ("busy", clock.now() + 5, 1)
    assert (lines[3].receipt, lines[3].closed_at) == ('{"message_id":"m1"}', clock.now())
    dead = await desk.store.read(listing.outbox_list, 10, DeliveryState.DEAD)
    assert [(line.id, line.error) for line in dead] == [(2, "Unreachable: blocked")]
    assert await desk.store.read(listing.outbox_list, 10, DeliveryState.UNSURE) == []


async def test_one_delivery_is_found_by_its_id(desk: Desk) -> None:
    await desk.replies("first")
    await desk.replies("second")
    line = await desk.store.read(listing.outbox_one, 2)
    assert line is not None
    assert (line.id, line.text, line.chat) == (2, "second", place())
    assert await desk.store.read(listing.outbox_one, 3) is None


async def test_a_trace_tells_the_life_of_one_message(desk: Desk, clock: FakeClock) -> None:
    accepted = await desk.takes(message("hello", event_key="platform-77"), slot=True)
    claim = accepted.claim
    assert claim is not None
    await clock.advance(1)
    await desk.turns.append(claim, [Stamped(seq=1, step=Nudged(text="go on"))])
    await desk.finishes(claim, "hi")
    delivery = await desk.next(claim.chat_row)
    await desk.outbox.keep_parts(delivery, [{"text": "h"}, {"text": "i"}])
    await desk.outbox.sent(delivery, receipt(), more=True, stored=True)
    await desk.replies("of another message")
    by_key = await desk.store.read(listing.trace, "platform-77")
    assert by_key == await desk.store.read(listing.trace, "1")
    assert by_key is not None
    assert [line.event_key for line in by_key.said] == ["platform-77"]
    assert [(line.stamped.seq, line.at) for line in by_key.steps] == [(1, clock.now()), (2, clock.now())]
    assert [(line.id, line.part) for line in by_key.deliveries] == [(1, 1)]
    assert [(part.n, part.payload, part.receipt) for part in by_key.parts] == [
        (0, {"text": "h"}, '{"message_id":"m1"}'),
        (1, {"text": "i"}, None),
    ]


async def test_a_trace_of_a_command_ends_with_its_answer(desk: Desk) -> None:
    await desk.replies()
    await desk.hears("/stop")
    trace = await desk.store.read(listing.trace, "2")
    assert trace is not None
    assert [line.content for line in trace.said] == ["/stop"]
    assert [line.text for line in trace.deliveries] == ["Nothing is running here."]
    assert trace.steps == ()


async def test_a_trace_of_a_drop_gives_the_reason(desk: Desk) -> None:
    await desk.takes(Dropped(reason="unreadable", event_key="odd", chat=place("unknown"), at=0))
    trace = await desk.store.read(listing.trace, "odd")
    assert trace is not None
    assert [(line.state, line.drop_reason) for line in trace.said] == [("dropped", "unreadable")]
    assert (trace.steps, trace.deliveries, trace.parts) == ((), (), ())


async def test_our_own_id_goes_before_a_platforms_key_that_looks_like_it(desk: Desk) -> None:
    await desk.takes(message("somebody else's", event_key="2"))
    await desk.takes(message("the second", event_key="platform-9"))
    found = await desk.store.read(listing.inbox_one, "2")
    assert found is not None
    assert (found.id, found.content) == (2, "the second")


@pytest.mark.parametrize("name", ["", "99", "-1", "0", "1.0", "1 OR 1=1", "9" * 30, "²", "१", "nobody", "NULL"])
async def test_nothing_is_found_under_a_name_that_nothing_has(desk: Desk, name: str) -> None:
    await desk.replies()
    assert await desk.store.read(listing.trace, name) is None


@pytest.mark.parametrize("text", [text for text in HOSTILE if text])
async def test_hostile_names_find_only_their_own_rows(desk: Desk, text: str) -> None:
    await desk.takes(message("innocent", event_key="innocent", chat=place("innocent")))
    assert await desk.store.read(listing.inbox_one, text) is None
    assert await desk.store.read(listing.chat_row, place(text, text)) is None
    await desk.takes(message("theirs", event_key=text, chat=place(text, text)))
    found = await desk.store.read(listing.inbox_one, text)
    assert found is not None
    kept = well_formed(text)
    assert (found.content, found.event_key, found.chat) == ("theirs", kept, place(kept, kept))
    assert await desk.store.read(listing.chat_row, place(text, text)) == (2, 0)
    assert await desk.rows("SELECT count(*) FROM inbound") == [(2,)]


async def test_an_empty_store_has_an_overview(desk: Desk) -> None:
    view = await desk.store.read(listing.overview)
    assert (view.chats, view.queued, view.running, view.waiting, view.undelivered, view.dead) == (0,) * 6
    assert (view.oldest_live, view.oldest_undelivered, view.broken, view.dead_letters) == (None, None, (), ())


async def test_the_overview_counts_what_lives_and_names_the_last_troubles(desk: Desk, clock: FakeClock) -> None:
    began = clock.now()
    await desk.starts("running", chat="a")
    await clock.advance(10)
    await desk.hears("queued", chat="a")
    for n in range(7):
        claim = await desk.starts("breaks", chat=f"b{n}")
        await desk.turns.finish(claim, ending(cause=f"cause {n}"), key=new_key(), send_now=False)
        await desk.outbox.dead(await desk.next(claim.chat_row), f"dead {n}")
    await clock.advance(10)
    await desk.replies("waits to be sent", chat="c")
    view = await desk.store.read(listing.overview)
    assert (view.chats, view.queued, view.running, view.waiting, view.undelivered, view.dead) == (9, 1, 1, 0, 1, 7)
    assert (view.oldest_live, view.oldest_undelivered) == (began, clock.now())
    assert [line.cause for line in view.broken] == [f"cause {n}" for n in (6, 5, 4, 3, 2)]
    assert [line.error for line in view.dead_letters] == [f"dead {n}" for n in (6, 5, 4, 3, 2)]


async def test_a_list_of_replies_shows_words_and_not_how_they_are_stored(desk: Desk) -> None:
    words = json.dumps({"fragments": "none"})
    await desk.replies(words)
    (line,) = await desk.store.read(listing.outbox_list, 1)
    assert line.text == words
