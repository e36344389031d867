"""Stop 8 in the store: order, parts, retries, and what is unsure."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert

from core.domain.delivery import Delivery, DeliveryState, Receipt
from core.domain.message import Choice, Markdown, Mention, OutgoingFile, Reply, Text
from core.ports import Ending, Retry
from core.store import redrive
from core.store.schema import chats, outbox
from core.store.store import Store
from tests.fakes.clock import FakeClock
from tests.store.desk import LANE, Desk, new_key, person, place, receipt, words

PARTS: list[dict[str, object]] = [{"text": "one", "files": []}, {"text": "two", "files": ["ü"]}, {"text": "three"}]


async def states(desk: Desk) -> list[object]:
    return [row[0] for row in await desk.rows("SELECT state FROM outbox ORDER BY id")]


async def in_three_parts(desk: Desk) -> Delivery:
    """A delivery whose three parts are kept, the first on its way."""
    delivery = await desk.next(await desk.replies("one two three"))
    await desk.outbox.keep_parts(delivery, PARTS)
    return delivery


async def test_a_reply_comes_out_as_it_went_in(desk: Desk, clock: FakeClock) -> None:
    reply = Reply(
        fragments=(Markdown(source="**hi** "), Text(text="*literal*"), Mention(principal=person("ben"))),
        files=(OutgoingFile(path="a/b.pdf", name="b.pdf", caption="c"),),
        choices=(Choice(label="Yes", token="t1"), Choice(label="No", token="t2")),
    )
    claim = await desk.starts()
    await desk.turns.finish(claim, Ending(reply=reply), key="k1", send_now=False)
    delivery = await desk.next(claim.chat_row)
    assert (delivery.reply, delivery.key, delivery.chat, delivery.turn) == (reply, "k1", place(), claim.turn)
    assert (delivery.part, delivery.attempt, delivery.state) == (0, 1, DeliveryState.SENDING)
    assert (delivery.created_at, delivery.repeat, delivery.edits) == (clock.now(), 0, None)


async def test_replies_of_a_chat_go_out_in_order_one_at_a_time(desk: Desk) -> None:
    (row,) = {await desk.replies(f"answer {n}") for n in range(3)}
    for n in range(3):
        delivery = await desk.next(row)
        assert words(delivery) == f"answer {n}"
        assert await desk.outbox.next(row) is None
        await desk.outbox.sent(delivery, receipt(n), more=False, stored=False)
    assert await desk.outbox.next(row) is None
    assert await states(desk) == ["sent"] * 3


async def test_a_receipt_is_kept_with_its_time(desk: Desk, clock: FakeClock) -> None:
    delivery = await desk.next(await desk.replies())
    await clock.advance(2)
    await desk.outbox.sent(delivery, Receipt(message_id="m'1\""), more=False, stored=False)
    assert await desk.rows("SELECT state, receipt, closed_at, attempt FROM outbox") == [
        ("sent", '{"message_id":"m\'1\\""}', clock.now(), 1)
    ]


async def test_only_one_of_many_senders_gets_a_delivery(desk: Desk, other: Desk) -> None:
    row = await desk.replies()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.outbox.next(row)) for one in (desk, other) * 4]
    assert [words(task.result()) for task in tasks if task.result()] == ["done"]


async def test_what_is_due_is_told_by_chat(desk: Desk) -> None:
    rows = [await desk.replies(chat=f"c{n}") for n in range(3)]
    await desk.replies(chat="c0")
    assert sorted(await desk.outbox.due(LANE)) == rows
    await desk.outbox.sent(await desk.next(rows[1]), receipt(), more=False, stored=False)
    assert sorted(await desk.outbox.due(LANE)) == [rows[0], rows[2]]


async def test_a_lane_serves_its_account_or_only_its_own_chat(desk: Desk) -> None:
    one, two = [await desk.replies(chat=chat) for chat in ("one", "two")]
    assert sorted(await desk.outbox.due(LANE)) == [one, two]
    assert await desk.outbox.due(replace(LANE, chat_id="two")) == [two]
    assert await desk.outbox.due(replace(LANE, account="other")) == []
    assert await desk.outbox.due(replace(LANE, channel="pigeon")) == []


async def test_what_has_to_wait_is_not_due_and_nothing_overtakes_it(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies("first")
    await desk.replies("second")
    delivery = await desk.next(row)
    later = Retry(not_before=clock.now() + 5_000, error="NotSent: busy")
    await desk.outbox.retry(delivery, later)
    assert await desk.outbox.next(row) is None
    await clock.advance(4.999)
    assert await desk.outbox.next(row) is None
    await clock.advance(0.001)
    assert await desk.outbox.due(LANE) == [row]
    again = await desk.next(row)
    assert (words(again), again.attempt) == ("first", 2)
    assert await desk.rows("SELECT error FROM outbox WHERE id = 1") == [("NotSent: busy",)]


async def test_a_chat_that_waits_holds_up_no_other(desk: Desk, clock: FakeClock) -> None:
    blocked, free = [await desk.replies(chat=chat) for chat in ("blocked", "free")]
    await desk.outbox.retry(await desk.next(blocked), Retry(not_before=clock.now() + 60_000, error="busy"))
    assert await desk.outbox.due(LANE) == [free]


async def test_each_attempt_is_counted_and_a_receipt_clears_the_error(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies()
    for attempt in range(1, 4):
        delivery = await desk.next(row)
        assert delivery.attempt == attempt
        await desk.outbox.retry(delivery, Retry(not_before=0, error="busy"))
    await desk.outbox.sent(await desk.next(row), receipt(), more=False, stored=False)
    assert await desk.rows("SELECT state, attempt, error FROM outbox") == [("sent", 4, None)]


async def test_an_unsure_part_comes_back_as_it_is_until_it_is_settled(desk: Desk) -> None:
    row = await desk.replies("first")
    await desk.replies("second")
    delivery = await desk.next(row)
    await desk.outbox.retry(delivery, Retry(not_before=0, error="Unsure: no answer", unsure=True))
    for _ in range(2):
        unsure = await desk.next(row)
        assert (unsure.state, unsure.attempt, unsure.key) == (DeliveryState.UNSURE, 1, delivery.key)
    await desk.outbox.resume(unsure)
    assert await desk.rows("SELECT state, attempt FROM outbox WHERE id = 1") == [("sending", 2)]
    assert await desk.outbox.next(row) is None


async def test_an_unsure_part_that_was_sent_after_all_is_closed_without_a_repeat(desk: Desk) -> None:
    row = await desk.replies()
    await desk.outbox.retry(await desk.next(row), Retry(not_before=0, error="?", unsure=True))
    await desk.outbox.sent(await desk.next(row), receipt(), more=False, stored=False)
    assert await states(desk) == ["sent"]


async def test_a_dead_delivery_keeps_its_reason_and_the_chat_goes_on(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies("first")
    await desk.replies("second")
    await desk.outbox.dead(await desk.next(row), "Unreachable: blocked")
    assert await desk.rows("SELECT state, error, closed_at, receipt FROM outbox WHERE id = 1") == [
        ("dead", "Unreachable: blocked", clock.now(), None)
    ]
    assert words(await desk.next(row)) == "second"


async def test_a_final_delivery_stays_what_it_is(desk: Desk) -> None:
    row = await desk.replies("sent")
    sent = await desk.next(row)
    await desk.outbox.sent(sent, receipt(1), more=False, stored=False)
    await desk.outbox.dead(sent, "late")
    await desk.outbox.retry(sent, Retry(not_before=0, error="late", unsure=True))
    await desk.outbox.sent(sent, receipt(2), more=True, stored=False)
    assert await desk.rows("SELECT state, error, part, receipt FROM outbox") == [
        ("sent", None, 0, '{"message_id":"m1"}')
    ]


async def test_a_receipt_that_comes_after_the_end_raises_nobody_from_the_dead(desk: Desk) -> None:
    delivery = await desk.next(await desk.replies())
    await desk.store.run(redrive.drop, delivery.id)
    await desk.outbox.sent(delivery, receipt(1), more=False, stored=False)
    assert await desk.rows("SELECT state, receipt FROM outbox") == [("dead", None)]


async def test_parts_are_kept_as_they_were_rendered(desk: Desk) -> None:
    delivery = await in_three_parts(desk)
    assert await desk.outbox.stored_parts(delivery) == PARTS


async def test_a_reply_of_one_part_has_no_stored_parts(desk: Desk) -> None:
    assert await desk.outbox.stored_parts(await desk.next(await desk.replies())) == []


async def test_recording_a_part_marks_the_next_one_in_the_same_commit(desk: Desk) -> None:
    delivery = await in_three_parts(desk)
    await desk.outbox.sent(delivery, receipt(1), more=True, stored=True)
    assert await desk.rows("SELECT state, part, attempt, closed_at FROM outbox") == [("sending", 1, 1, None)]
    second = replace(delivery, part=1)
    await desk.outbox.sent(second, receipt(2), more=True, stored=True)
    await desk.outbox.sent(replace(second, part=2), receipt(3), more=False, stored=True)
    assert await desk.rows("SELECT state, part FROM outbox") == [("sent", 2)]
    assert await desk.rows("SELECT n, receipt FROM outbox_parts ORDER BY n") == [
        (n, f'{{"message_id":"m{n + 1}"}}') for n in range(3)
    ]


async def test_after_a_crash_only_the_part_in_flight_is_unsure(desk: Desk) -> None:
    delivery = await in_three_parts(desk)
    await desk.outbox.sent(delivery, receipt(1), more=True, stored=True)
    assert await desk.outbox.unsettle(LANE) == 1
    again = await desk.next(delivery.chat_row)
    assert (again.state, again.part, again.attempt) == (DeliveryState.UNSURE, 1, 1)
    assert again.part_key() == f"{delivery.key}.1"
    assert await desk.outbox.stored_parts(again) == PARTS


async def test_a_retried_part_begins_where_it_failed(desk: Desk) -> None:
    delivery = await in_three_parts(desk)
    await desk.outbox.sent(delivery, receipt(1), more=True, stored=True)
    await desk.outbox.retry(replace(delivery, part=1), Retry(not_before=0, error="busy"))
    again = await desk.next(delivery.chat_row)
    assert (again.part, again.attempt, again.state) == (1, 2, DeliveryState.SENDING)


async def test_only_what_was_being_sent_becomes_unsure(desk: Desk) -> None:
    for chat in ("sending", "new", "sent", "dead"):
        row = await desk.replies(chat=chat)
        if chat in ("sent", "dead"):
            delivery = await desk.next(row)
            await (
                desk.outbox.sent(delivery, receipt(), more=False, stored=False)
                if chat == "sent"
                else desk.outbox.dead(delivery, "gone")
            )
    await desk.next(1)
    assert await desk.outbox.unsettle(LANE) == 1
    assert await desk.outbox.unsettle(LANE) == 0
    assert await states(desk) == ["unsure", "new", "sent", "dead"]


async def test_one_lane_unsettles_nothing_of_another(desk: Desk) -> None:
    for chat in ("one", "two"):
        await desk.next(await desk.replies(chat=chat))
    assert await desk.outbox.unsettle(replace(LANE, account="other")) == 0
    assert await desk.outbox.unsettle(replace(LANE, chat_id="two")) == 1
    assert await states(desk) == ["sending", "unsure"]
    assert await desk.outbox.unsettle(LANE) == 1


async def test_what_waits_in_a_single_chat_is_due_at_once_when_its_own_sender_starts(
    desk: Desk, clock: FakeClock
) -> None:
    rows = [await desk.replies("first", chat=chat) for chat in ("one", "two")]
    await desk.replies("second", chat="one")
    for row in rows:
        await desk.outbox.retry(await desk.next(row), Retry(not_before=clock.now() + 60_000, error="NotSent: closed"))
    assert await desk.outbox.unsettle(replace(LANE, chat_id="one")) == 0
    assert await desk.outbox.due(LANE) == [rows[0]]
    delivery = await desk.next(rows[0])
    assert (words(delivery), delivery.attempt, delivery.state) == ("first", 2, DeliveryState.SENDING)


async def test_the_sender_of_an_account_leaves_what_waits_there_waiting(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies()
    await desk.outbox.retry(await desk.next(row), Retry(not_before=clock.now() + 60_000, error="RateLimited"))
    await desk.outbox.unsettle(LANE)
    assert await desk.outbox.due(LANE) == []


async def test_a_chat_is_due_however_many_others_are_blocked(desk: Desk, store: Store, clock: FakeClock) -> None:
    later = clock.now() + 600_000

    def fill(conn: Connection) -> None:
        place = {"channel": "fake", "account": "acme", "thread_id": "", "created_at": 0}
        conn.execute(insert(chats), [place | {"chat_id": f"b{n}"} for n in range(1_000)])
        new = {"reply": "{}", "state": "new", "created_at": 0}
        each = [(n, m) for n in range(1, 1_001) for m in (0, 1)]
        rows = [{"chat": n, "key": f"k{n}.{m}", "not_before": later * (m == 0)} for n, m in each]
        conn.execute(insert(outbox), [new | row for row in rows])

    await store.run(fill)
    row = await desk.replies(chat="z, after all others")
    assert row in await desk.outbox.due(LANE)


async def test_parts_may_be_kept_again_after_an_operators_retry(desk: Desk) -> None:
    delivery = await desk.next(await desk.replies())
    parts: list[dict[str, object]] = [{"text": "one"}, {"text": "two"}]
    await desk.outbox.keep_parts(delivery, parts)
    await desk.outbox.dead(delivery, "Unacceptable: too long")
    await desk.store.run(redrive.retry, delivery.id)
    again = await desk.next(delivery.chat_row)
    # The sender renders anew what an operator retries.
    assert (again.part, again.attempt, again.state) == (0, 1, DeliveryState.SENDING)
    await desk.outbox.keep_parts(again, parts)


async def test_a_part_that_became_unsure_by_a_crash_has_not_waited_yet(desk: Desk, clock: FakeClock) -> None:
    row = await desk.replies()
    await desk.outbox.retry(await desk.next(row), Retry(not_before=clock.now() + 1_000, error="NotSent: busy"))
    await clock.advance(1)
    await desk.next(row)  # being sent again, when the process ends
    await desk.outbox.unsettle(LANE)
    unsure = await desk.next(row)
    assert (unsure.state, unsure.repeat) == (DeliveryState.UNSURE, 0)


async def test_a_repeat_is_counted_until_the_next_part(desk: Desk) -> None:
    delivery = await in_three_parts(desk)
    later = Retry(not_before=0, error="?", unsure=True, repeat=1)
    await desk.outbox.retry(delivery, later)
    unsure = await desk.next(delivery.chat_row)
    assert (unsure.state, unsure.repeat) == (DeliveryState.UNSURE, 1)
    await desk.outbox.resume(replace(unsure, repeat=2))
    await desk.outbox.unsettle(LANE)
    assert (await desk.next(delivery.chat_row)).repeat == 2
    await desk.outbox.sent(unsure, receipt(), more=True, stored=True)
    await desk.outbox.unsettle(LANE)
    following = await desk.next(delivery.chat_row)
    assert (following.part, following.repeat) == (1, 0)


async def test_the_next_part_does_not_inherit_the_wait_of_the_one_before(desk: Desk, clock: FakeClock) -> None:
    delivery = await in_three_parts(desk)
    await desk.outbox.retry(delivery, Retry(not_before=clock.now() + 1_000, error="NotSent: busy"))
    await clock.advance(1)
    await desk.outbox.sent(await desk.next(delivery.chat_row), receipt(), more=True, stored=True)
    assert await desk.rows("SELECT part, not_before, attempt FROM outbox") == [(1, 0, 1)]


async def test_notices_and_answers_of_commands_keep_their_place_between_replies(desk: Desk) -> None:
    row = await desk.replies("first")
    await desk.hears("/stop")
    await desk.hears("/help")
    (command,) = await desk.inbox.commands()
    await desk.outbox.answer(command, Reply(fragments=(Text(text="helped"),)), key=new_key())
    await desk.replies("last")
    heard = []
    while delivery := await desk.outbox.next(row):
        heard.append(words(delivery))
        await desk.outbox.sent(delivery, receipt(), more=False, stored=False)
    assert heard == ["first", "Nothing is running here.", "helped", "last"]


async def test_a_key_that_is_taken_loses_no_reply_silently(desk: Desk) -> None:
    one, two = await desk.starts(chat="one"), await desk.starts(chat="two")
    await desk.turns.finish(one, Ending(reply=Reply(fragments=())), key="same", send_now=False)
    with pytest.raises(Exception, match=r"UNIQUE constraint failed: outbox\.key|uq_outbox_key"):
        await desk.turns.finish(two, Ending(reply=Reply(fragments=())), key="same", send_now=False)
    assert await desk.rows("SELECT state FROM turns ORDER BY id") == [("done",), ("running",)]


async def test_the_undelivered_and_the_waiting_are_counted(desk: Desk, database: Path) -> None:
    row = await desk.replies()
    await desk.starts("running")
    await desk.hears("waits")
    view = await desk.chats.queue(row)
    assert (view.running, view.waiting, view.undelivered) == (2, 1, 1)
    plain = sqlite3.connect(database)
    assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    plain.close()
