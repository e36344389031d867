"""The message in which a turn shows its progress, and the reply that takes its place."""

from dataclasses import replace

from core.domain.delivery import Receipt
from core.domain.message import OutgoingFile, Reply, says
from core.ports import Claim
from core.store import listing, session
from core.store.ports import StoredDrafts
from tests.fakes.clock import FakeClock
from tests.store.desk import LANE, Desk, ending, new_key, place, receipt, words

WORKING = says("Working: fetch")


async def drafted(desk: Desk) -> tuple[Claim, StoredDrafts]:
    """A running turn whose progress message is out."""
    claim = await desk.starts()
    drafts = StoredDrafts(desk.store)
    await drafts.keep(claim.turn, WORKING, receipt(), key=new_key())
    return claim, drafts


async def test_a_draft_is_found_by_its_turn_only(desk: Desk, clock: FakeClock) -> None:
    claim, drafts = await drafted(desk)
    assert await drafts.find(claim.turn) == (receipt(), clock.now())
    assert await drafts.find(claim.turn + 1) is None


async def test_a_draft_is_nothing_that_waits_to_be_sent(desk: Desk) -> None:
    claim, _ = await drafted(desk)
    assert await desk.outbox.due(LANE) == []
    assert await desk.outbox.next(claim.chat_row) is None
    assert (await desk.chats.queue(claim.chat_row)).undelivered == 0


async def test_a_draft_stands_in_no_list_and_no_transcript_but_in_the_trace(desk: Desk) -> None:
    claim, _ = await drafted(desk)
    await desk.finishes(claim, "done")
    assert [line.text for line in await desk.store.read(listing.outbox_list, 10)] == ["done"]
    lines = await desk.store.run(session.recall, place())
    assert [line.text for line in lines] == ["hello", "done"]
    traced = await desk.store.read(listing.trace, str(claim.turn))
    assert traced is not None
    assert [line.text for line in traced.deliveries] == ["Working: fetch", "done"]


async def test_the_reply_takes_the_place_of_its_draft_whoever_sends_it(desk: Desk) -> None:
    for send_now in (True, False):
        claim, _ = await drafted(desk)
        finished = await desk.finishes(claim, "done", send_now=send_now)
        delivery = finished.delivery or await desk.next(claim.chat_row)
        assert (words(delivery), delivery.edits, delivery.removes) == ("done", receipt(), None)
        await desk.outbox.sent(delivery, receipt(2), more=False, stored=False)


async def test_only_the_first_part_of_a_long_reply_takes_the_place(desk: Desk) -> None:
    claim, _ = await drafted(desk)
    await desk.finishes(claim)
    delivery = await desk.next(claim.chat_row)
    await desk.outbox.sent(delivery, receipt(), more=True, stored=False)
    await desk.outbox.unsettle(LANE)
    second = await desk.next(claim.chat_row)
    assert (second.part, second.edits, second.removes) == (1, None, None)


async def test_a_reply_after_a_minute_is_a_new_message_and_the_draft_goes(desk: Desk, clock: FakeClock) -> None:
    for seconds, fresh in ((59.999, True), (60, False)):
        for send_now in (True, False):
            claim, _ = await drafted(desk)
            await clock.advance(seconds)
            finished = await desk.finishes(claim, send_now=send_now)
            delivery = finished.delivery or await desk.next(claim.chat_row)
            place = (receipt(), None) if fresh else (None, receipt())
            assert (delivery.edits, delivery.removes) == place
            await desk.outbox.sent(delivery, receipt(2), more=False, stored=False)


async def test_a_reply_with_files_is_a_new_message(desk: Desk) -> None:
    claim, _ = await drafted(desk)
    reply = Reply(fragments=(), files=(OutgoingFile(path="a.pdf", name="a.pdf"),))
    last = replace(ending(), reply=reply)
    finished = await desk.turns.finish(claim, last, key=new_key(), send_now=True)
    assert finished.delivery is not None
    assert (finished.delivery.edits, finished.delivery.removes) == (None, receipt())


async def test_a_forgotten_draft_is_nobodys_place(desk: Desk) -> None:
    claim, drafts = await drafted(desk)
    assert await drafts.forget(claim.turn)
    assert await drafts.find(claim.turn) is None
    await desk.finishes(claim)
    delivery = await desk.next(claim.chat_row)
    assert (delivery.edits, delivery.removes) == (None, None)


async def test_a_draft_whose_place_is_taken_cannot_be_forgotten(desk: Desk) -> None:
    claim, drafts = await drafted(desk)
    await desk.finishes(claim)
    assert not await drafts.forget(claim.turn)
    assert (await desk.next(claim.chat_row)).edits == Receipt(message_id="m1")


async def test_another_turn_does_not_take_the_place(desk: Desk) -> None:
    claim, _ = await drafted(desk)
    await desk.hears("and you?")
    await desk.finishes(claim)
    await desk.outbox.sent(await desk.next(claim.chat_row), receipt(), more=False, stored=False)
    await desk.finishes(await desk.claims())
    assert (await desk.next(claim.chat_row)).edits is None
