"""Trying again in the tables: the command's row heads the new turn, the messages move over to it."""

from dataclasses import replace

from sqlalchemy import Connection, text

from core.domain.message import Attachment
from core.domain.step import ModelAnswered, Stamped
from tests.store.desk import Desk, message, person

FILE = Attachment(name="plan.pdf", media_type="application/pdf", size=9, path="uploads/plan.pdf")
WORK = (Stamped(seq=1, step=ModelAnswered(text="working")),)


async def retries(desk: Desk) -> None:
    accepted = await desk.hears("/retry", slot=True)
    assert accepted.claim is not None
    await desk.finishes(accepted.claim, "again")


async def test_the_messages_move_to_the_new_turn_and_the_old_one_is_hidden(desk: Desk) -> None:
    await desk.finishes(await desk.starts("first"))
    await desk.takes(replace(message("look"), attachments=(FILE,)), slot=True)
    claim = (await desk.hears("/retry", slot=True)).claim
    assert claim is not None
    assert claim.turn == 3
    assert await desk.rows("SELECT id, turn, lane, command FROM inbound ORDER BY id") == [
        (1, None, "turn", None),
        (2, 3, "turn", None),
        (3, None, "control", "retry"),
    ]
    assert await desk.rows("SELECT id, state, undone FROM turns ORDER BY id") == [
        (1, "done", 0),
        (2, "stopped", 1),
        (3, "running", 0),
    ]
    (first, now) = await desk.turns.history(claim, 0)
    assert [said.content for said in first.said] == ["first"]
    assert [(said.content, said.attachments, said.sender) for said in now.said] == [("look", (FILE,), person())]


async def test_the_new_turn_is_claimed_by_whoever_is_free_when_this_process_is_not(desk: Desk, other: Desk) -> None:
    await desk.finishes(await desk.starts("hello"))
    accepted = await desk.hears("/retry")
    assert (accepted.claim, accepted.command, accepted.stopped) == (None, False, ())
    claim = await other.claims()
    assert (claim.turn, claim.choice.names, claim.attempt) == (2, ("first",), 1)
    assert not (await other.finishes(claim)).lost
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(0, None, None)]


async def test_retry_is_applied_once_however_often_it_is_delivered(desk: Desk) -> None:
    await desk.finishes(await desk.starts("hello"))
    event = message("/retry", event_key="the same")
    assert not (await desk.takes(event)).duplicate
    assert (await desk.takes(event)).duplicate
    assert await desk.rows("SELECT count(*) FROM turns") == [(2,)]
    assert await desk.rows("SELECT live FROM chats") == [(1,)]


async def test_whoever_worked_on_the_old_turn_writes_nothing_any_more(desk: Desk) -> None:
    claim = await desk.starts("hello")
    accepted = await desk.hears("/retry", slot=True)
    assert accepted.stopped == (claim.turn,)
    assert not await desk.turns.append(claim, WORK)
    assert (await desk.finishes(claim)).lost
    assert accepted.claim is not None
    assert not (await desk.finishes(accepted.claim)).lost


async def test_the_turn_at_work_is_tried_again_and_not_one_that_waits_behind_it(desk: Desk) -> None:
    await desk.starts("at work")
    await desk.hears("waits")
    accepted = await desk.hears("/retry", slot=True)
    assert accepted.claim is not None
    assert [said.content for said in (await desk.turns.history(accepted.claim, 0))[-1].said] == ["at work"]
    assert await desk.rows("SELECT id, state, undone FROM turns ORDER BY id") == [
        (1, "stopped", 1),
        (2, "stopped", 0),
        (3, "running", 0),
    ]


async def test_a_message_that_was_tried_twice_is_still_one_message(desk: Desk) -> None:
    await desk.finishes(await desk.starts("hello"))
    await retries(desk)
    await retries(desk)
    claim = await desk.starts("next")
    exchanges = await desk.turns.history(claim, 0)
    assert [[said.content for said in exchange.said] for exchange in exchanges] == [["hello"], ["next"]]


async def test_all_messages_of_a_turn_are_tried_again_and_an_answer_that_it_got_is_none_of_them(desk: Desk) -> None:
    await desk.finishes(await desk.starts("one"))
    await desk.hears("joined")
    await desk.finishes(await desk.claims())

    def join(conn: Connection) -> None:
        conn.execute(text("UPDATE inbound SET turn = 1 WHERE id = 2"))
        conn.execute(text("DELETE FROM steps WHERE turn = 2"))
        conn.execute(text("DELETE FROM outbox WHERE turn = 2"))
        conn.execute(text("DELETE FROM turns WHERE id = 2"))

    await desk.store.run(join)
    await desk.hears("/retry")
    claim = await desk.claims()
    assert [said.content for said in (await desk.turns.history(claim, 0))[-1].said] == ["one", "joined"]


async def test_what_came_too_late_to_be_answered_by_itself_is_what_is_tried_when_it_is_the_newest(desk: Desk) -> None:
    await desk.finishes(await desk.starts("before"), "answered")
    await desk.hears("missed 1")
    await desk.hears("missed 2")

    def leave(conn: Connection) -> None:
        conn.execute(text("DELETE FROM turns WHERE id > 1"))
        conn.execute(text("UPDATE inbound SET drop_reason = 'too_old' WHERE id > 1"))
        conn.execute(text("UPDATE chats SET live = 0, ready = NULL"))

    await desk.store.run(leave)
    await desk.hears("/retry")
    claim = await desk.claims()
    exchanges = await desk.turns.history(claim, 0)
    assert [[said.content for said in exchange.said] for exchange in exchanges] == [["before"], ["missed 2"]]
    await desk.finishes(claim)
    await desk.hears("/retry")
    exchanges = await desk.turns.history(await desk.claims(), 0)
    assert [[said.content for said in exchange.said] for exchange in exchanges] == [["before"], ["missed 2"]]
