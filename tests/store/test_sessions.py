"""Sessions of a chat in the tables: which turns are of which, which one is current, and what a command changes."""

import pytest

from core.domain.session import Session
from core.domain.step import ModelAnswered, Stamped
from core.store import session, sessions
from tests.fakes.clock import FakeClock
from tests.store.desk import Desk, ending, message, new_key, place, words

WORK = (Stamped(seq=1, step=ModelAnswered(text="working")),)


async def history(desk: Desk, content: str = "now") -> list[str]:
    """What the prompt of a new message would show of what people said; the message itself is taken back."""
    claim = await desk.starts(content)
    said = [said.content for exchange in await desk.turns.history(claim, 0) for said in exchange.said]
    await desk.finishes(claim)
    await desk.hears("/undo")
    return said[:-1]


async def talk(desk: Desk, *contents: str) -> None:
    for content in contents:
        await desk.finishes(await desk.starts(content), f"to {content}")


async def listed(desk: Desk) -> list[tuple[int, str | None, bool]]:
    found = await desk.store.read(sessions.sessions, 1)
    return [(one.number, one.words, one.current) for one in found]


async def test_a_turn_is_of_the_session_that_was_current_when_its_message_came(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    await talk(desk, "b")
    await desk.hears("/resume 1")
    await talk(desk, "c")
    assert await desk.rows("SELECT id, session FROM turns ORDER BY id") == [(1, 0), (3, 2), (5, 0)]
    assert await desk.rows("SELECT session, epoch FROM chats") == [(0, 2)]
    assert await history(desk) == ["a", "c"]


async def test_resuming_one_and_another_and_the_first_again_joins_the_stretches_of_each(desk: Desk) -> None:
    await talk(desk, "a1")
    await desk.hears("/new")
    await talk(desk, "b1")
    for n, content in ((1, "a2"), (2, "b2"), (1, "a3"), (2, "b3")):
        await desk.hears(f"/resume {n}")
        await talk(desk, content)
    assert await history(desk) == ["b1", "b2", "b3"]
    await desk.hears("/resume 1")
    assert await history(desk) == ["a1", "a2", "a3"]


async def test_resume_is_applied_once_however_often_it_is_delivered(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    event = message("/resume 1", event_key="the same")
    first = await desk.takes(event)
    await talk(desk, "meanwhile")
    again = await desk.takes(event)
    assert (first.duplicate, again.duplicate) == (False, True)
    assert await history(desk) == ["a", "meanwhile"]


async def test_resume_takes_the_chat_away_from_whoever_works_on_it(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    claim = await desk.starts("running")
    accepted = await desk.hears("/resume 1")
    assert accepted.stopped == (claim.turn,)
    assert not await desk.turns.append(claim, WORK)
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(0, None, None)]


async def test_a_resume_that_goes_nowhere_changes_nothing(desk: Desk) -> None:
    await talk(desk, "a")
    claim = await desk.starts("running")
    before = await desk.rows("SELECT * FROM chats")
    for text in ("/resume", "/resume 1", "/resume 7"):
        assert (await desk.hears(text)).stopped == ()
    assert await desk.rows("SELECT * FROM chats") == before
    assert not (await desk.finishes(claim)).lost


async def test_a_session_that_was_emptied_cannot_be_resumed_and_keeps_its_number(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    await talk(desk, "b")
    await desk.hears("/undo")
    await desk.hears("/new")
    await talk(desk, "c")
    assert await listed(desk) == [(3, "c", True), (1, "a", False)]
    await desk.hears("/resume 2")
    assert await listed(desk) == [(3, "c", True), (1, "a", False)]


async def test_a_session_is_listed_with_the_time_and_the_words_of_its_first_message_that_can_be_seen(
    desk: Desk, clock: FakeClock
) -> None:
    await desk.starts("hidden")
    await desk.hears("/undo")
    await clock.advance(60)
    await talk(desk, "first", "second")
    assert await desk.store.read(sessions.sessions, 1) == [
        Session(number=1, began=clock.now(), words="first", current=True)
    ]


async def test_sessions_can_be_numbered_both_ways(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    await desk.hears("/new", chat="other")
    await desk.hears("/new")
    for number, row in ((1, 0), (2, 2), (3, 4)):
        assert await desk.store.read(sessions.session_of, 1, number) == row
        assert await desk.store.read(sessions.number_of, 1, row) == number
    assert await desk.store.read(sessions.session_of, 1, 4) is None
    assert await desk.store.read(sessions.session_of, 1, 0) is None


async def test_undo_marks_the_newest_turn_and_deletes_nothing(desk: Desk) -> None:
    await talk(desk, "a", "b")
    await desk.hears("/undo")
    assert await desk.rows("SELECT id, undone, state FROM turns ORDER BY id") == [(1, 0, "done"), (2, 1, "done")]
    assert await desk.rows("SELECT count(*) FROM steps") == [(2,)]
    assert await desk.rows("SELECT epoch FROM chats") == [(1,)]


async def test_undo_of_a_running_turn_stops_it(desk: Desk) -> None:
    claim = await desk.starts("a")
    accepted = await desk.hears("/undo")
    assert accepted.stopped == (1,)
    assert not await desk.turns.append(claim, WORK)
    assert await desk.rows("SELECT state, undone FROM turns") == [("stopped", 1)]
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(0, None, None)]


async def test_undo_of_a_queued_message_leaves_the_running_turn_and_the_others_alone(desk: Desk) -> None:
    claim = await desk.starts("running")
    await desk.hears("waits")
    await desk.hears("a mistake")
    accepted = await desk.hears("/undo")
    assert accepted.stopped == (3,)
    assert await desk.rows("SELECT state, undone FROM turns ORDER BY id") == [
        ("running", 0),
        ("queued", 0),
        ("stopped", 1),
    ]
    assert not (await desk.finishes(claim)).lost
    following = await desk.claims()
    assert (following.turn, await desk.turns.claim(5)) == (2, [])
    assert not (await desk.finishes(following)).lost
    assert await desk.rows("SELECT live, ready FROM chats") == [(0, None)]


async def test_undo_of_a_message_behind_one_that_nobody_works_on_yet(desk: Desk) -> None:
    await desk.hears("first")
    await desk.hears("second")
    await desk.hears("/undo")
    await desk.finishes(await desk.claims())
    assert await desk.turns.claim(5) == []
    assert await desk.rows("SELECT live, ready FROM chats") == [(0, None)]


@pytest.mark.parametrize("command", ["/resume 1", "/undo"])
async def test_the_answer_to_the_command_is_in_the_same_commit(desk: Desk, command: str) -> None:
    await talk(desk, "a")
    while delivery := await desk.outbox.next(1):
        await desk.outbox.dead(delivery, "read")
    await desk.hears("/new")
    accepted = await desk.hears(command)
    assert (accepted.replies, accepted.command) == (True, False)
    assert await desk.inbox.commands() == []
    assert words(await desk.outbox.next(1)) == "New conversation."


async def test_a_window_recalls_the_session_that_is_current_without_what_was_undone(desk: Desk) -> None:
    await talk(desk, "a")
    await desk.hears("/new")
    await talk(desk, "b", "c")
    await desk.hears("/undo")
    assert [line.text for line in await desk.store.run(session.recall, place())] == ["b", "to b"]
    await desk.hears("/resume 1")
    assert [line.text for line in await desk.store.run(session.recall, place())] == ["a", "to a"]


async def test_a_turn_that_breaks_after_undo_of_another_ends_as_it_would(desk: Desk) -> None:
    claim = await desk.starts("running")
    await desk.hears("a mistake")
    await desk.hears("/undo")
    finished = await desk.turns.finish(claim, ending(cause="broke"), key=new_key(), send_now=False)
    assert (finished.lost, finished.waiting) == (False, False)
