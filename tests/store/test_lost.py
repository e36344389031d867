"""Replies that did not arrive: counted under the chat's lock, told of once."""

from dataclasses import replace

from core.domain.delivery import DeliveryState
from core.domain.message import Reply, Text
from core.store import redrive
from tests.store.desk import Desk, new_key, receipt, words

NOTICE = "2 earlier replies did not reach you; the newest follows."


async def counted(desk: Desk) -> int:
    """What the chats say is lost, which must be what the rows say."""
    ((said, found),) = await desk.rows(
        "SELECT (SELECT sum(lost) FROM chats), (SELECT count(*) FROM outbox WHERE lost = 0)"
    )
    assert said == found
    assert isinstance(said, int)
    return said


async def loses(desk: Desk, *answers: str) -> int:
    """Turns whose replies the chat does not take; gives the chat's row."""
    row = 0
    for answer in answers:
        row = await desk.replies(answer)
        while (delivery := await desk.outbox.next(row)) is not None:
            await desk.outbox.dead(delivery, "Unreachable: blocked", lost=True)
    return row


async def test_only_what_the_chat_did_not_take_counts(desk: Desk) -> None:
    row = await desk.replies("refused")
    await desk.outbox.dead(await desk.next(row), "Unacceptable: not this")
    assert await counted(desk) == 0
    await loses(desk, "lost")
    assert await counted(desk) == 1


async def test_a_delivery_dies_once(desk: Desk) -> None:
    delivery = await desk.next(await desk.replies("lost"))
    for _ in range(2):
        await desk.outbox.dead(delivery, "Unreachable: blocked", lost=True)
    assert await counted(desk) == 1


async def test_what_is_no_reply_of_a_turn_is_never_lost(desk: Desk) -> None:
    await desk.hears("/stop")
    await desk.hears("/help")
    (command,) = await desk.inbox.commands()
    await desk.outbox.answer(command, Reply(fragments=(Text(text="helped"),)), key=new_key())
    for _ in range(2):
        await desk.outbox.dead(await desk.next(1), "Unreachable: blocked", lost=True)
    assert await counted(desk) == 0


async def test_the_next_message_writes_the_notice_and_the_newest_reply_in_its_own_commit(desk: Desk) -> None:
    row = await desk.replies("one")
    await desk.replies("two")
    for _ in range(2):
        await desk.outbox.dead(await desk.next(row), "Unreachable: blocked", lost=True)
    accepted = await desk.hears("are you there?")
    assert accepted.replies
    assert await counted(desk) == 0
    heard = []
    while delivery := await desk.outbox.next(row):
        heard.append((words(delivery), delivery.turn))
        await desk.outbox.sent(delivery, receipt(), more=False, stored=False)
    assert heard == [(NOTICE, None), ("two", 2)]
    await desk.hears("and now?")
    assert await desk.outbox.next(row) is None


async def test_a_notice_that_is_lost_itself_takes_what_was_to_follow_with_it(desk: Desk) -> None:
    row = await loses(desk, "one")
    await desk.hears("hello?")
    notice = await desk.next(row)
    await desk.outbox.dead(notice, "Unreachable: blocked", lost=True)
    assert await desk.outbox.next(row) is None
    assert await counted(desk) == 1
    assert await desk.rows("SELECT kind, state FROM outbox ORDER BY id") == [
        ("send", "dead"),
        ("undelivered", "dead"),
        ("again", "dead"),
    ]


async def test_what_follows_the_notice_is_not_lost_a_second_time(desk: Desk) -> None:
    row = await loses(desk, "one")
    await desk.hears("hello?")
    await desk.outbox.sent(await desk.next(row), receipt(), more=False, stored=False)
    again = await desk.next(row)
    await desk.outbox.dead(again, "Unreachable: blocked", lost=True)
    assert await counted(desk) == 0


async def test_what_the_operator_sends_after_all_is_not_lost_any_more(desk: Desk) -> None:
    await loses(desk, "one", "two")
    # Intake told of the first when the second was asked for, and that was lost again.
    assert await counted(desk) == 2
    assert await desk.store.run(redrive.retry, 1)
    assert await counted(desk) == 1
    assert not await desk.store.run(redrive.retry, 99)


async def test_what_the_operator_drops_was_not_lost(desk: Desk) -> None:
    await desk.replies("unwanted")
    assert await desk.store.run(redrive.drop, 1)
    assert await counted(desk) == 0


async def test_a_dead_reply_changes_what_earlier_history_means(desk: Desk) -> None:
    row = await desk.replies("one")
    claim = await desk.starts("two")
    await desk.outbox.dead(await desk.next(row), "Unreachable: blocked", lost=True)
    assert await desk.rows("SELECT epoch FROM chats") == [(claim.epoch + 1,)]
    first, _ = await desk.turns.history(claim, 0)
    assert first.undelivered == "Unreachable: blocked"
    assert await desk.store.run(redrive.retry, 1)
    first, _ = await desk.turns.history(claim, 0)
    assert first.undelivered == ""


async def test_a_reply_that_is_on_its_way_again_is_no_undelivered_one_to_the_agent(desk: Desk) -> None:
    row = await loses(desk, "one")
    claim = await desk.starts("two")
    first, _ = await desk.turns.history(claim, 0)
    assert first.undelivered == ""
    await desk.outbox.sent(await desk.next(row), receipt(), more=False, stored=False)
    again = await desk.next(row)
    await desk.outbox.dead(replace(again, state=DeliveryState.SENDING), "Unreachable: blocked", lost=True)
    first, _ = await desk.turns.history(claim, 0)
    assert first.undelivered == "Unreachable: blocked"
