"""Edits and deletes of messages, before and after somebody has read them."""

from dataclasses import replace

from core.decide.view import Queueing
from core.domain.chat import ChatKey, QueueMode
from core.domain.command import CommandSpec
from core.domain.message import Attachment, Inbound, InboundKind
from core.domain.step import ModelAnswered, Stamped
from core.ports import Accepted, Signal
from core.store.store import Store
from tests.store.desk import Desk, admission, message, person, place

ANSWERED = (Stamped(seq=1, step=ModelAnswered(text="")),)
FILE = Attachment(name="a.txt", media_type="text/plain", size=1, path="uploads/a.txt")


def said(content: str, message_id: str, *, user: str = "anna", chat: ChatKey | None = None) -> Inbound:
    """A message with a name on its platform."""
    return message(content, message_id=message_id, sender=person(user), chat=chat)


def edit(content: str, message_id: str, *, user: str = "anna") -> Inbound:
    return replace(said(content, message_id, user=user), kind=InboundKind.EDIT)


def delete(message_id: str, *, user: str = "anna") -> Inbound:
    return replace(said("", message_id, user=user), kind=InboundKind.DELETE)


async def says(desk: Desk, *names: str, slot: bool = False) -> list[Accepted]:
    return [await desk.takes(said(f"words of {name}", name), slot=slot) for name in names]


async def test_an_edit_of_what_waits_takes_its_place(desk: Desk) -> None:
    await says(desk, "m1", "m2")
    accepted = await desk.takes(edit("better words", "m2"))
    assert accepted == Accepted(inbound=3, chat_row=1)
    assert await desk.rows("SELECT content, turn, lane FROM inbound ORDER BY id") == [
        ("words of m1", None, "turn"),
        ("better words", None, "turn"),
        ("better words", 2, "control"),
    ]
    assert await desk.rows("SELECT live, signals FROM chats") == [(2, 0)]


async def test_files_stay_unless_the_edit_brings_others(desk: Desk) -> None:
    await desk.takes(replace(said("look", "m1"), attachments=(FILE,)))
    await desk.takes(edit("look here", "m1"))
    (exchange,) = await desk.turns.history(await desk.claims(), 0)
    assert (exchange.said[0].content, exchange.said[0].attachments) == ("look here", (FILE,))


async def test_a_waiting_message_edited_to_a_command_stays_a_text(desk: Desk) -> None:
    await says(desk, "m1", "m2")
    accepted = await desk.takes(edit("/stop", "m2"))
    assert (accepted.stopped, accepted.command) == ((), False)
    assert await desk.rows("SELECT content, command FROM inbound WHERE id = 2") == [("/stop", None)]
    assert await desk.rows("SELECT count(*) FROM turns WHERE state = 'queued'") == [(2,)]


async def test_an_edit_of_what_runs_steers(desk: Desk) -> None:
    await says(desk, "m1", slot=True)
    accepted = await desk.takes(edit("better words", "m1"))
    assert accepted.signal == Signal(turn=1, count=1)
    assert await desk.rows("SELECT lane, turn, content, kind FROM inbound WHERE id = 2") == [
        ("steer", 1, "(edited) better words", "edit")
    ]
    assert await desk.rows("SELECT content FROM inbound WHERE id = 1") == [("words of m1",)]
    assert await desk.rows("SELECT signals FROM chats") == [(1,)]


async def test_an_edit_of_a_turn_that_was_given_back_steers_it(desk: Desk) -> None:
    (accepted,) = await says(desk, "m1", slot=True)
    assert accepted.claim is not None
    await desk.turns.append(accepted.claim, ANSWERED)
    await desk.turns.release(accepted.claim)
    assert (await desk.takes(edit("better words", "m1"))).signal == Signal(turn=1, count=1)


async def test_an_edit_of_what_is_done_is_noted(desk: Desk) -> None:
    (accepted,) = await says(desk, "m1", slot=True)
    assert accepted.claim is not None
    await desk.finishes(accepted.claim)
    for change in (edit("/new", "m1"), edit("better words", "m1"), delete("m1")):
        before = await desk.rows("SELECT * FROM chats")
        noted = await desk.takes(change)
        assert noted.dropped == f"{change.kind.value}_of_nothing_open"
        assert await desk.rows("SELECT * FROM chats") == before
    assert await desk.rows("SELECT content FROM inbound WHERE id = 1") == [("words of m1",)]


async def test_a_delete_of_what_waits_takes_it_out(desk: Desk) -> None:
    await says(desk, "m1", "m2", "m3")
    accepted = await desk.takes(delete("m2"))
    assert (accepted.resumed, accepted.stopped, accepted.dropped) == (True, (), None)
    assert await desk.rows("SELECT id, state, undone FROM turns ORDER BY id") == [
        (1, "queued", 0),
        (2, "stopped", 1),
        (3, "queued", 0),
    ]
    assert await desk.rows("SELECT content, drop_reason FROM inbound WHERE id = 2") == [("", "deleted")]
    assert await desk.rows("SELECT live, ready FROM chats") == [(2, 1)]


async def test_a_delete_of_what_comes_next_lets_the_one_behind_it_go(desk: Desk) -> None:
    await says(desk, "m1", "m2")
    await desk.takes(delete("m1"))
    assert await desk.rows("SELECT live, ready FROM chats") == [(1, 2)]
    (exchange,) = await desk.turns.history(await desk.claims(), 0)
    assert exchange.said[0].content == "words of m2"


async def test_a_delete_of_the_only_message_leaves_an_idle_chat(desk: Desk) -> None:
    await says(desk, "m1")
    await desk.takes(delete("m1"))
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(0, None, None)]
    assert (await desk.starts("again")).turn == 3


async def test_a_delete_behind_a_running_turn_leaves_that_alone(desk: Desk) -> None:
    first, _ = await says(desk, "m1", "m2", slot=True)
    await desk.takes(delete("m2"))
    assert await desk.rows("SELECT live, ready, owner, signals FROM chats") == [(1, 1, "worker-a", 0)]
    assert first.claim is not None
    assert not (await desk.finishes(first.claim)).changed


async def test_a_delete_of_what_runs_ends_that_turn_alone(desk: Desk) -> None:
    first, _ = await says(desk, "m1", "m2", slot=True)
    accepted = await desk.takes(delete("m1"))
    assert (accepted.stopped, accepted.resumed, accepted.replies) == ((1,), True, False)
    assert first.claim is not None
    assert (await desk.finishes(first.claim)).lost
    assert (await desk.claims()).turn == 2
    assert await desk.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_only_the_author_changes_a_message(desk: Desk) -> None:
    await says(desk, "m1", "m2", slot=True)
    for name in ("m1", "m2"):
        assert (await desk.takes(edit("x", name, user="ben"))).dropped == "edit_of_another"
        assert (await desk.takes(delete(name, user="ben"))).dropped == "delete_of_another"
        assert (await desk.takes(delete(name, user="mallory"))).dropped == "not_listed"
    assert await desk.rows("SELECT content FROM inbound WHERE id < 3 ORDER BY id") == [
        ("words of m1",),
        ("words of m2",),
    ]
    assert await desk.rows("SELECT live FROM chats") == [(2,)]


async def test_a_message_of_the_same_name_in_another_chat_is_another_one(desk: Desk) -> None:
    await desk.takes(said("here", "m1"))
    await desk.takes(said("there", "m1", chat=place("elsewhere")))
    await desk.takes(edit("here, better", "m1"))
    assert await desk.rows("SELECT content FROM inbound ORDER BY id") == [
        ("here, better",),
        ("there",),
        ("here, better",),
    ]


async def test_a_change_of_a_message_that_nobody_knows_is_noted(desk: Desk) -> None:
    await says(desk, "m1")
    assert (await desk.takes(edit("x", "m9"))).dropped == "edit_of_nothing_open"
    assert (await desk.takes(replace(edit("x", "m9"), message_id=None))).dropped == "edit_of_nothing_open"


# --- messages that wait together ---


def collecting(store: Store) -> Desk:
    queueing = Queueing(mode=lambda chat: QueueMode.COLLECT)
    return Desk(store, rules=replace(admission().rules, queueing=queueing))


async def test_a_message_of_a_burst_can_be_edited_and_taken_out(store: Store) -> None:
    desk = collecting(store)
    await says(desk, "m1", "m2", "m3")
    await desk.takes(edit("better words", "m2"))
    await desk.takes(delete("m3"))
    assert await desk.rows("SELECT id, content, turn, drop_reason FROM inbound WHERE id < 4 ORDER BY id") == [
        (1, "words of m1", None, None),
        (2, "better words", 1, None),
        (3, "", None, "deleted"),
    ]
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(1, 1, "collect")]


async def test_a_burst_whose_first_message_is_deleted_goes_on_with_the_next(store: Store) -> None:
    desk = collecting(store)
    await says(desk, "m1", "m2", "m3")
    await desk.takes(delete("m1"))
    assert await desk.rows("SELECT id, turn, drop_reason FROM inbound WHERE id < 4 ORDER BY id") == [
        (1, None, "deleted"),
        (2, None, None),
        (3, 2, None),
    ]
    assert await desk.rows("SELECT id, state, undone FROM turns ORDER BY id") == [(1, "stopped", 1), (2, "queued", 0)]
    assert await desk.rows("SELECT live, ready, owner FROM chats") == [(1, 2, "collect")]
    await desk.turns.void_leases()
    claim = await desk.claims()
    assert (claim.turn, claim.choice.names) == (2, ("first",))
    (exchange,) = await desk.turns.history(claim, 0)
    assert exchange.said[0].content == "words of m2"


async def test_a_burst_whose_only_message_is_deleted_is_over(store: Store) -> None:
    desk = collecting(store)
    await says(desk, "m1")
    await desk.takes(delete("m1"))
    assert await desk.rows("SELECT live, ready, owner, until FROM chats") == [(0, None, None, None)]


async def test_the_message_of_a_turn_that_is_tried_again_can_be_taken_back(store: Store) -> None:
    desk = Desk(store, rules=replace(admission().rules, commands=(CommandSpec(name="retry", summary=""),)))
    (accepted,) = await says(desk, "m1", slot=True)
    assert accepted.claim is not None
    await desk.finishes(accepted.claim)
    retry = await desk.hears("/retry")
    assert await desk.rows("SELECT id, state FROM turns ORDER BY id") == [(1, "done"), (retry.inbound, "queued")]
    await desk.takes(delete("m1"))
    assert await desk.rows("SELECT state, undone FROM turns WHERE id = 2") == [("stopped", 1)]
    assert await desk.rows("SELECT live, ready FROM chats") == [(0, None)]
