"""What a turn says before its end: once, in order, into the right chat, and nothing once it was stopped."""

from core.domain.message import says
from core.store.outbox_port import StoredSayings
from core.store.store import Store
from tests.store.desk import Desk, ending, message, new_key, place, receipt, words


async def test_what_is_said_goes_out_before_the_answer(desk: Desk, store: Store) -> None:
    claim, sayings = await desk.starts("hello"), StoredSayings(store)
    for n in range(2):
        assert await sayings.say(claim, says(f"step {n}"), key=f"k{n}", to=None) == claim.chat_row
    finished = await desk.turns.finish(claim, ending("done"), key=new_key(), send_now=True)
    assert finished.delivery is None
    for expected in ("step 0", "step 1", "done"):
        delivery = await desk.next(claim.chat_row)
        assert (words(delivery), delivery.turn, delivery.chat) == (expected, claim.turn, claim.chat)
        await desk.outbox.sent(delivery, receipt(), more=False, stored=False)


async def test_the_same_key_says_nothing_twice(desk: Desk, store: Store) -> None:
    claim, sayings = await desk.starts("hello"), StoredSayings(store)
    for _ in range(2):
        assert await sayings.say(claim, says("once"), key="k", to=None) == claim.chat_row
    assert await desk.rows("SELECT key, state, turn FROM outbox") == [("k", "new", claim.turn)]


async def test_a_turn_that_was_stopped_says_nothing_more(desk: Desk, store: Store) -> None:
    claim = await desk.starts("hello")
    await desk.takes(message("/stop"))
    before = await desk.rows("SELECT count(*) FROM outbox")
    for to in (None, place("elsewhere")):
        assert await StoredSayings(store).say(claim, says("late"), key=new_key(), to=to) is None
    assert await desk.rows("SELECT count(*) FROM outbox") == before


async def test_another_chat_is_found_by_its_key(desk: Desk, store: Store) -> None:
    theirs = await desk.replies("earlier", chat="theirs")
    claim = await desk.starts("hello")
    assert await StoredSayings(store).say(claim, says("news"), key="k", to=place("theirs")) == theirs
    assert await desk.rows("SELECT chat FROM outbox ORDER BY id") == [(theirs,), (theirs,)]


async def test_a_chat_that_nobody_has_written_in_is_made(desk: Desk, store: Store) -> None:
    claim = await desk.starts("hello")
    target = place("new", "thread")
    row = await StoredSayings(store).say(claim, says("news"), key="k", to=target)
    assert row is not None
    assert row != claim.chat_row
    assert (await desk.next(row)).chat == target
    await desk.takes(message("who are you?", chat=target))
    assert await desk.rows("SELECT count(*) FROM chats") == [(2,)]


async def test_the_own_chat_by_its_key_is_no_other_chat(desk: Desk, store: Store) -> None:
    claim = await desk.starts("hello")
    assert await StoredSayings(store).say(claim, says("here"), key="k", to=place()) == claim.chat_row
