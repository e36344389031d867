"""T1: what came in, stored and decided in one commit."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy.exc import DBAPIError

from core.domain.message import Attachment, CursorMove, Dropped, Inbound, InboundKind, plain, says
from core.domain.text import well_formed
from core.ports import Accepted
from core.store import outbox
from core.store.store import Store
from tests.fakes.clock import FakeClock
from tests.store.desk import ACCOUNT, CHANNEL, LANE, LEASE_MS, Desk, message, new_key, person, place

HOSTILE = (
    "'; DROP TABLE inbound; --",
    '" OR "1"="1',
    "%",
    "_",
    "*",
    "a'b\"c`d[e]",
    "/* comment */",
    "--",
    "\\",
    ":b_chat",
    "?",
    "%s %(x)s {}",
    "NULL",
    "\u0000nul",
    "\u202egnp.exe",
    "😀" * 50,
    "",
)


async def test_a_message_becomes_a_queued_turn_with_its_own_id(desk: Desk) -> None:
    accepted = await desk.hears("hello")
    assert accepted == Accepted(inbound=1, chat_row=1, turn=1)
    assert await desk.rows("SELECT id, chat, agent, state, attempt FROM turns") == [(1, 1, "main", "queued", 0)]
    assert await desk.rows("SELECT live, ready, owner, fence, signals FROM chats") == [(1, 1, None, 0, 0)]


async def test_everything_that_was_said_is_kept(desk: Desk, clock: FakeClock) -> None:
    picture = Attachment(name="map.png", media_type="image/png", size=3, path="uploads/x/map.png", caption="here")
    said = replace(message("look", event_key="e1"), attachments=(picture,), reply_to="m7", message_id="m8")
    said = replace(said, kind=InboundKind.COMMAND)
    await desk.takes(said)
    rows = await desk.rows(
        "SELECT channel, account, event_key, sender, sender_name, kind, lane, content, reply_to, at, received_at,"
        " turn, command, pending, drop_reason FROM inbound"
    )
    head = (CHANNEL, ACCOUNT, "e1", "anna", "Anna", "command", "turn", "look", "m7", said.at, clock.now())
    assert rows == [(*head, None, None, 0, None)]
    history = await desk.turns.history(await desk.claims(), 0)
    assert history[-1].said[0].attachments == (picture,)
    assert history[-1].said[0].sender == person()
    assert history[-1].said[0].message_id == "m8"


async def test_a_message_to_an_idle_chat_is_claimed_in_the_same_commit(desk: Desk, clock: FakeClock) -> None:
    claim = await desk.starts("hello")
    assert (claim.turn, claim.fence, claim.signals, claim.attempt, claim.agent) == (1, 1, 0, 1, "main")
    assert (claim.chat, claim.choice.names) == (place(), ("first",))
    assert await desk.rows("SELECT owner, fence, until, ready, live FROM chats") == [
        ("worker-a", 1, clock.now() + LEASE_MS, 1, 1)
    ]
    assert await desk.rows("SELECT state, attempt FROM turns") == [("running", 1)]


async def test_without_a_free_slot_nothing_is_claimed(desk: Desk) -> None:
    assert (await desk.hears("hello", slot=False)).claim is None
    assert (await desk.hears("hello again", slot=True)).claim is None


async def test_a_message_behind_others_waits_and_knows_how_many(desk: Desk) -> None:
    await desk.starts("first")
    later = [await desk.hears(f"later {n}", slot=True) for n in range(3)]
    assert [(one.claim, one.queued_before) for one in later] == [(None, 1), (None, 2), (None, 3)]
    assert await desk.rows("SELECT live, ready FROM chats") == [(4, 1)]


async def test_ids_grow_in_the_order_of_commits_within_a_chat(desk: Desk) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(desk.hears(f"{n}", chat=f"c{n % 5}")) for n in range(100)]
    accepted = [task.result() for task in tasks]
    for chat in {one.chat_row for one in accepted}:
        ids = [one.inbound for one in accepted if one.chat_row == chat]
        assert ids == sorted(ids)
    assert len({one.inbound for one in accepted}) == 100
    said = await desk.rows(
        "SELECT chat_id, content FROM inbound JOIN chats ON chats.id = inbound.chat ORDER BY inbound.id"
    )
    assert sorted(said, key=lambda row: str(row[0])) == [(f"c{n}", f"{m}") for n in range(5) for m in range(n, 100, 5)]


async def test_the_same_event_again_changes_nothing(desk: Desk) -> None:
    event = message("hello")
    first = await desk.takes(event)
    before = await desk.rows("SELECT * FROM chats, turns, inbound")
    again = await desk.takes(event, slot=True)
    assert again == Accepted(inbound=0, chat_row=first.chat_row, duplicate=True)
    assert await desk.rows("SELECT * FROM chats, turns, inbound") == before


async def test_the_same_event_again_changes_nothing_after_its_turn_is_done(desk: Desk) -> None:
    event = message("hello")
    accepted = await desk.takes(event, slot=True)
    assert accepted.claim is not None
    await desk.finishes(accepted.claim)
    assert (await desk.takes(event, slot=True)).duplicate
    assert await desk.rows("SELECT state FROM turns") == [("done",)]


@pytest.mark.parametrize("content", ["/stop", "/new", "/help", "/stpo", "hello"])
async def test_no_event_takes_effect_twice(desk: Desk, content: str) -> None:
    event = message(content)
    await desk.takes(event)
    before = await desk.rows("SELECT chats.*, (SELECT count(*) FROM outbox), (SELECT count(*) FROM turns) FROM chats")
    await desk.takes(event)
    after = await desk.rows("SELECT chats.*, (SELECT count(*) FROM outbox), (SELECT count(*) FROM turns) FROM chats")
    assert before == after


async def test_one_event_delivered_by_two_sockets_at_once_is_one_turn(desk: Desk, other: Desk) -> None:
    event = message("hello")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.takes(event, slot=True)) for one in (desk, other, desk, other)]
    accepted = [task.result() for task in tasks]
    assert sorted(one.duplicate for one in accepted) == [False, True, True, True]
    assert sum(one.claim is not None for one in accepted) == 1


async def test_the_cursor_moves_in_the_commit_of_its_event(desk: Desk, clock: FakeClock) -> None:
    await desk.takes(message("one", cursor=CursorMove(scope="updates", value="7")))
    await desk.takes(message("two", cursor=CursorMove(scope="updates", value="8")))
    await desk.takes(message("three", cursor=CursorMove(scope="inbox", value="1:4")))
    assert await desk.rows("SELECT channel, account, scope, value, moved_at FROM cursors ORDER BY scope") == [
        (CHANNEL, ACCOUNT, "inbox", "1:4", clock.now()),
        (CHANNEL, ACCOUNT, "updates", "8", clock.now()),
    ]


async def test_a_duplicate_moves_the_cursor_past_itself(desk: Desk) -> None:
    event = message("hello")
    await desk.takes(event)
    assert (await desk.takes(replace(event, cursor=CursorMove(scope="updates", value="9")))).duplicate
    assert await desk.rows("SELECT value FROM cursors") == [("9",)]


async def test_a_drop_moves_the_cursor_past_itself(desk: Desk) -> None:
    await desk.takes(
        Dropped(reason="noise", event_key="e1", chat=place(), at=5, cursor=CursorMove(scope="updates", value="3"))
    )
    assert await desk.rows("SELECT value FROM cursors") == [("3",)]


async def test_an_event_that_cannot_be_stored_moves_no_cursor(desk: Desk) -> None:
    broken = replace(message("x", cursor=CursorMove(scope="updates", value="4")), at=2**70)
    with pytest.raises((OverflowError, DBAPIError)):
        await desk.takes(broken)
    assert await desk.rows("SELECT (SELECT count(*) FROM cursors), (SELECT count(*) FROM inbound)") == [(0, 0)]


async def test_noise_leaves_a_row_with_its_reason(desk: Desk) -> None:
    accepted = await desk.takes(Dropped(reason="own", event_key="e1", chat=place(), at=5))
    assert (accepted.dropped, accepted.claim, accepted.replies) == ("own", None, False)
    assert await desk.rows("SELECT event_key, content, sender, drop_reason, at FROM inbound") == [
        ("e1", "", "", "own", 5)
    ]
    assert await desk.rows("SELECT live, ready FROM chats") == [(0, None)]


async def test_what_a_stranger_said_is_not_kept(desk: Desk) -> None:
    secret = replace(message("my secret", sender=person("mallory")), reply_to="m1")
    secret = replace(secret, attachments=(Attachment(name="a", media_type="b", size=1),))
    assert (await desk.takes(secret, slot=True)).dropped == "not_listed"
    assert await desk.rows("SELECT sender, content, attachments, reply_to, drop_reason FROM inbound") == [
        ("mallory", "", None, None, "not_listed")
    ]
    assert await desk.rows("SELECT count(*) FROM turns") == [(0,)]
    assert await desk.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_a_stranger_stops_nothing_and_performs_nothing(desk: Desk) -> None:
    claim = await desk.starts("work")
    for command in ("/stop", "/new", "/status"):
        accepted = await desk.hears(command, user="mallory")
        assert (accepted.dropped, accepted.stopped, accepted.command) == ("not_listed", (), False)
    assert not (await desk.finishes(claim)).lost


async def test_nothing_said_is_dropped(desk: Desk) -> None:
    assert (await desk.hears(" \n\t ")).dropped == "empty"


async def test_a_full_queue_refuses_with_a_notice_and_keeps_what_was_said(store: Store) -> None:
    desk = Desk(store, queued=2)
    await desk.starts("running")
    await desk.hears("waits 1")
    await desk.hears("waits 2")
    refused = await desk.hears("too many")
    assert (refused.dropped, refused.replies, refused.claim) == ("queue_full", True, None)
    assert await desk.rows("SELECT content, drop_reason FROM inbound WHERE id = 4") == [("too many", "queue_full")]
    assert await desk.rows("SELECT live FROM chats") == [(3,)]
    notice = await desk.outbox.next(1)
    assert notice is not None
    assert plain(notice.reply).startswith("2 messages already wait here.")
    assert notice.turn is None


async def test_the_queue_takes_again_when_a_turn_has_ended(store: Store) -> None:
    desk = Desk(store, queued=1)
    claim = await desk.starts("running")
    await desk.hears("waits")
    assert (await desk.hears("too many")).dropped == "queue_full"
    await desk.finishes(claim)
    await desk.claims()
    assert (await desk.hears("now it fits")).dropped is None


async def test_a_full_queue_does_not_refuse_commands(store: Store) -> None:
    desk = Desk(store, queued=1)
    await desk.starts("running")
    await desk.hears("waits")
    assert (await desk.hears("too many")).dropped == "queue_full"
    assert (await desk.hears("/status")).command
    assert sorted((await desk.hears("/stop")).stopped) == [1, 2]


async def test_a_command_waits_for_its_performer_beside_the_turn(desk: Desk) -> None:
    await desk.starts("work")
    accepted = await desk.hears("/model  second \n")
    assert (accepted.command, accepted.claim, accepted.replies) == (True, None, False)
    (command,) = await desk.inbox.commands()
    assert (command.inbound, command.chat, command.sender) == (2, place(), person())
    assert (command.call.name, command.call.arguments) == ("model", "second")
    assert await desk.rows("SELECT lane, pending FROM inbound WHERE id = 2") == [("control", 1)]
    assert await desk.rows("SELECT live, signals FROM chats") == [(1, 0)]


async def test_commands_come_oldest_first_until_they_are_answered(desk: Desk) -> None:
    for text in ("/help", "/status", "/model"):
        await desk.hears(text)
    first, second, third = await desk.inbox.commands()
    assert [first.call.name, second.call.name, third.call.name] == ["help", "status", "model"]
    await desk.outbox.answer(first, says("helped"), key=new_key())
    assert [command.call.name for command in await desk.inbox.commands()] == ["status", "model"]


async def test_a_command_is_answered_once_however_often_it_is_performed(desk: Desk) -> None:
    await desk.hears("/help")
    (command,) = await desk.inbox.commands()
    for n in range(3):
        await desk.outbox.answer(command, says(f"answer {n}"), key=new_key())
    assert await desk.rows("SELECT count(*) FROM outbox") == [(1,)]
    delivery = await desk.next(command.chat_row)
    assert plain(delivery.reply) == "answer 0"


async def test_a_misspelt_command_gets_a_hint_and_no_turn(desk: Desk) -> None:
    accepted = await desk.hears("/stpo now")
    assert (accepted.dropped, accepted.replies) == ("unknown_command", True)
    assert await desk.rows("SELECT content FROM inbound") == [("/stpo now",)]


@pytest.mark.parametrize("kind", [InboundKind.EDIT, InboundKind.DELETE])
async def test_edits_and_deletes_of_nothing_open_are_noted(desk: Desk, kind: InboundKind) -> None:
    accepted = await desk.takes(replace(message("changed"), kind=kind))
    assert accepted.dropped == f"{kind.value}_of_nothing_open"


async def test_the_models_of_a_turn_are_those_of_its_admission(desk: Desk) -> None:
    await desk.starts("work")
    await desk.hears("admitted before")
    await desk.chats.set_model(1, "second")
    await desk.hears("admitted after")
    await desk.hears("/stop", user="ben", chat="elsewhere")
    assert await desk.rows("SELECT choice FROM inbound WHERE chat = 1 ORDER BY id") == [
        ('{"names":["first"],"registry":"r1"}',),
        ('{"names":["first"],"registry":"r1"}',),
        ('{"names":["second","first"],"registry":"r1"}',),
    ]


async def test_a_thread_is_a_chat_of_its_own(desk: Desk) -> None:
    for chat in (place("room"), place("room", "t1"), place("room", "t2"), place("room", account="other")):
        await desk.takes(replace(message("hi", chat=chat), sender=person(account=chat.account)))
    assert await desk.rows("SELECT count(*) FROM chats") == [(4,)]


async def test_half_a_surrogate_pair_is_stored_as_the_character_that_stands_for_it(desk: Desk) -> None:
    half = "half \ud83d a pair"
    event = Inbound(event_key=half, chat=place(half, half), sender=person(half), content=half, at=1, reply_to=half)
    await desk.takes(replace(event, sender=replace(person(), name=half)))
    assert (await desk.takes(replace(event, sender=person()))).duplicate
    whole = "half \ufffd a pair"
    assert await desk.rows("SELECT event_key, content, reply_to, sender_name FROM inbound") == [(whole,) * 4]
    assert await desk.rows("SELECT chat_id, thread_id FROM chats") == [(whole, whole)]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_names_are_only_names(desk: Desk, text: str) -> None:
    kept = well_formed(text)
    chat = place(text, text or None)
    event = Inbound(
        event_key=text, chat=chat, sender=person(), content=f"{text}.", at=1, cursor=CursorMove(scope=text, value=text)
    )
    await desk.hears("an innocent message", chat="innocent")
    await desk.takes(event)
    assert (await desk.takes(event)).duplicate
    await desk.chats.set_model(2, kept)
    assert await desk.chats.model(2) == kept
    assert await desk.chats.model(1) is None
    first, second = await desk.turns.claim(5)
    assert (first.chat, second.chat) == (place("innocent"), place(kept, kept or None))
    (exchange,) = await desk.turns.history(second, 0)
    assert exchange.said[0].content == f"{kept}."
    assert await desk.rows("SELECT scope, value FROM cursors") == [(kept, kept)]


@pytest.mark.parametrize("text", [name for name in HOSTILE if name])
async def test_hostile_lanes_serve_nobody_elses_chats(desk: Desk, text: str) -> None:
    row = await desk.replies("for the room")
    assert await desk.outbox.due(replace(LANE, account=text)) == []
    assert await desk.outbox.due(replace(LANE, chat_id=text)) == []
    assert await desk.store.run(outbox.unsettle, replace(LANE, channel=text)) == 0
    assert await desk.outbox.due(LANE) == [row]
