"""Every promise of the schema, and somebody who tries to break it with plain SQL."""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, PrimaryKeyConstraint, UniqueConstraint

from core.store.schema import metadata

# Chat 1 is at work on turn 1, with turn 2 behind it; chat 2 is idle. Inbound 3 is a command, 4 was dropped.
HOUSEHOLD = """
INSERT INTO chats (id, channel, account, chat_id, thread_id, owner, until, ready, live, created_at)
VALUES (1, 'fake', 'acme', 'room', '', 'worker', 9, 1, 2, 0), (2, 'fake', 'acme', 'hall', '', NULL, NULL, NULL, 0, 0);
INSERT INTO inbound (id, chat, channel, account, event_key, sender, sender_name, kind, lane, content, at, received_at,
                     command, pending, drop_reason)
VALUES (1, 1, 'fake', 'acme', 'e1', 'anna', 'Anna', 'message', 'turn', 'hi', 0, 0, NULL, 0, NULL),
       (2, 1, 'fake', 'acme', 'e2', 'anna', 'Anna', 'message', 'turn', 'ho', 0, 0, NULL, 0, NULL),
       (3, 1, 'fake', 'acme', 'e3', 'anna', 'Anna', 'message', 'control', '/help', 0, 0, 'help', 1, NULL),
       (4, 1, 'fake', 'acme', 'e4', 'carl', 'Carl', 'message', 'turn', '', 0, 0, NULL, 0, 'not_listed');
INSERT INTO turns (id, chat, agent, state) VALUES (1, 1, 'main', 'running'), (2, 1, 'main', 'queued');
INSERT INTO steps (turn, seq, kind, call_step, call_index, body, at)
VALUES (1, 1, 'model_answered', NULL, NULL, '{}', 0), (1, 2, 'tool_started', 1, 0, '{}', 0),
       (1, 3, 'tool_finished', 1, 0, '{}', 0);
INSERT INTO frames (id, turn, call_step, call_index, agent, task, depth) VALUES (1, 1, 1, 0, 'main', '', 1);
INSERT INTO waits (id, turn, chat, step, kind, key, asked, question, deadline)
VALUES (1, 1, 1, 1, 'question', 'w1', 'anna', '{}', 9);
INSERT INTO grants (id, chat, tool, digest, granted_by, granted_at, until) VALUES (1, 1, 'run', 'd', 'anna', 0, 9);
INSERT INTO outbox (id, chat, inbound, key, reply, state, created_at) VALUES (1, 1, 3, 'k1', '{}', 'new', 0);
INSERT INTO outbox_parts (delivery, n, payload) VALUES (1, 0, '{}');
INSERT INTO cursors (channel, account, scope, value, moved_at) VALUES ('fake', 'acme', 'updates', '7', 0);
INSERT INTO twins (event_key, channel, account, inbound) VALUES ('e1b', 'fake', 'acme', 1);
INSERT INTO pairings (id, channel, account, user_id, name, code, asked_at, first_at)
VALUES (1, 'fake', 'acme', 'carl', 'Carl', 'c1', 0, 0);
"""

CHAT = "INSERT INTO chats (channel, account, chat_id, thread_id, created_at) VALUES ('fake', 'acme', {}, {}, 0)"
INBOUND = (
    "INSERT INTO inbound (chat, channel, account, event_key, sender, sender_name, kind, lane, content, at, received_at)"
    " VALUES ({chat}, '{channel}', '{account}', '{key}', '', '', 'message', 'turn', '', 0, 0)"
)
TURN = "INSERT INTO turns (id, chat, agent, state, finished_at) VALUES ({}, {}, 'main', '{}', {})"
STEP = "INSERT INTO steps (turn, seq, kind, call_step, call_index, body, at) VALUES ({}, {}, '{}', {}, {}, '', 0)"
FRAME = (
    "INSERT INTO frames (turn, parent, call_step, call_index, agent, task, depth)"
    " VALUES ({}, {}, {}, 0, 'main', '', {})"
)
WAIT = (
    "INSERT INTO waits (turn, chat, step, kind, key, asked, question, deadline)"
    " VALUES ({}, {}, {}, '{}', 'w2', '{}', '{{}}', {})"
)
GRANT = "INSERT INTO grants (chat, tool, digest, granted_by, granted_at, until) VALUES ({}, '{}', 'd', 'anna', 0, 9)"
TWIN = "INSERT INTO twins (event_key, channel, account, inbound) VALUES ('{}', 'fake', 'acme', {})"
PAIRING = (
    "INSERT INTO pairings (channel, account, user_id, name, code, asked_at, first_at, role)"
    " VALUES ('fake', 'acme', '{}', '', '{}', 0, 0, {})"
)
OUTBOX = (
    "INSERT INTO outbox (chat, turn, inbound, key, replaces, reply, state, closed_at, created_at)"
    " VALUES ({}, {}, {}, '{}', {}, '', '{}', {}, 0)"
)


class Attempt(NamedTuple):
    """SQL that must be refused, and the constraint that refuses it (for uniqueness: the columns that it names)."""

    sql: str
    constraint: str


REFUSED: dict[str, Attempt] = {
    "a second row for the same chat": Attempt(CHAT.format("'room'", "''"), "UNIQUE chats.channel"),
    "a chat that counts fewer than no live turns": Attempt(
        "UPDATE chats SET live = -1 WHERE id = 2", "ck_chats_live_not_negative"
    ),
    "a chat that counts fewer than no questions": Attempt(
        "UPDATE chats SET asks = -1 WHERE id = 2", "ck_chats_live_not_negative"
    ),
    "an owner without an end of the lease": Attempt(
        "UPDATE chats SET until = NULL WHERE id = 1", "ck_chats_a_lease_has_an_owner_and_an_end"
    ),
    "an end of the lease without an owner": Attempt(
        "UPDATE chats SET owner = NULL WHERE id = 1", "ck_chats_a_lease_has_an_owner_and_an_end"
    ),
    "an idle chat with something ready": Attempt(
        "UPDATE chats SET ready = 1 WHERE id = 2", "ck_chats_an_idle_chat_has_no_lease"
    ),
    "an idle chat that somebody holds": Attempt(
        "UPDATE chats SET owner = 'worker', until = 9 WHERE id = 2", "ck_chats_an_idle_chat_has_no_lease"
    ),
    "a chat that becomes idle and keeps its lease": Attempt(
        "UPDATE chats SET live = 0 WHERE id = 1", "ck_chats_an_idle_chat_has_no_lease"
    ),
    "something missed without a first": Attempt(
        "UPDATE chats SET missed = 2 WHERE id = 2", "ck_chats_what_was_missed_has_a_first"
    ),
    "a first of nothing that was missed": Attempt(
        "UPDATE chats SET missed_first = 4 WHERE id = 2", "ck_chats_what_was_missed_has_a_first"
    ),
    "the same event of the same account twice": Attempt(
        INBOUND.format(chat=2, channel="fake", account="acme", key="e1"), "UNIQUE inbound.event_key"
    ),
    "an event in a third lane": Attempt("UPDATE inbound SET lane = 'express' WHERE id = 1", "ck_inbound_lane"),
    "a drop that belongs to a turn": Attempt(
        "UPDATE inbound SET turn = 1 WHERE id = 4", "ck_inbound_a_drop_starts_nothing"
    ),
    "a drop that waits to be performed": Attempt(
        "UPDATE inbound SET pending = 1, command = 'help' WHERE id = 4", "ck_inbound_a_drop_starts_nothing"
    ),
    "something to perform that is no command": Attempt(
        "UPDATE inbound SET pending = 1 WHERE id = 1", "ck_inbound_pending_is_a_command"
    ),
    "a command that is pending in a third way": Attempt(
        "UPDATE inbound SET pending = 2 WHERE id = 3", "ck_inbound_pending_is_a_command"
    ),
    "an event of no chat": Attempt(
        INBOUND.format(chat=99, channel="fake", account="acme", key="e9"), "FOREIGN KEY inbound.chat"
    ),
    "two running turns in one chat": Attempt("UPDATE turns SET state = 'running' WHERE id = 2", "UNIQUE turns.chat"),
    "a turn in a state that there is not": Attempt(
        "UPDATE turns SET state = 'paused', finished_at = 5 WHERE id = 1", "ck_turns_state"
    ),
    "a finished turn without its time": Attempt(
        "UPDATE turns SET state = 'done' WHERE id = 1", "ck_turns_a_final_state_has_a_time"
    ),
    "a live turn with an end": Attempt(
        "UPDATE turns SET finished_at = 5 WHERE id = 2", "ck_turns_a_final_state_has_a_time"
    ),
    "a turn that no message heads": Attempt(TURN.format(77, 1, "queued", "NULL"), "FOREIGN KEY turns.id"),
    "a turn of no chat": Attempt(TURN.format(4, 99, "queued", "NULL"), "FOREIGN KEY turns.chat"),
    "two turns of one message": Attempt(TURN.format(2, 2, "queued", "NULL"), "UNIQUE turns.id"),
    "two results of one call": Attempt(STEP.format(1, 4, "tool_finished", 1, 0), "UNIQUE steps.turn, steps.call_step"),
    "two steps in one place": Attempt(STEP.format(1, 1, "nudged", "NULL", "NULL"), "UNIQUE steps.turn, steps.seq"),
    "a step of no turn": Attempt(STEP.format(9, 1, "nudged", "NULL", "NULL"), "FOREIGN KEY steps.turn"),
    "two frames of one call": Attempt(FRAME.format(1, "NULL", 1, 1), "UNIQUE frames.turn"),
    "a stored frame at the root": Attempt(FRAME.format(1, "NULL", 2, 0), "ck_frames_children_only"),
    "a frame of no turn": Attempt(FRAME.format(9, "NULL", 1, 1), "FOREIGN KEY frames.turn"),
    "a frame below no frame": Attempt(FRAME.format(1, 99, 2, 2), "FOREIGN KEY frames.parent"),
    "two waits of one step": Attempt(WAIT.format(1, 1, 1, "question", "ben", 9), "UNIQUE waits.turn"),
    "two questions shown to one person in one chat": Attempt(
        WAIT.format(1, 1, 2, "question", "anna", 9), "UNIQUE waits.chat, waits.asked"
    ),
    "a wait of a third kind": Attempt(WAIT.format(1, 1, 2, "nap", "ben", 9), "ck_waits_kind"),
    "a wait in a state that there is not": Attempt("UPDATE waits SET state = 'lost', closed_at = 5", "ck_waits_state"),
    "an answered wait without its time": Attempt("UPDATE waits SET state = 'answered'", "ck_waits_closed_once"),
    "an open wait with an end": Attempt("UPDATE waits SET closed_at = 5", "ck_waits_closed_once"),
    "a wait of no turn": Attempt(WAIT.format(9, 1, 1, "question", "ben", 9), "FOREIGN KEY waits.turn"),
    "two grants of the same": Attempt(GRANT.format(1, "run"), "UNIQUE grants.chat"),
    "a grant in no chat": Attempt(GRANT.format(99, "run"), "FOREIGN KEY grants.chat"),
    "a wait in no chat": Attempt(WAIT.format(1, 99, 2, "question", "ben", 9), "FOREIGN KEY waits.chat"),
    "two replies to one event": Attempt(
        OUTBOX.format(1, "NULL", 3, "k2", "NULL", "new", "NULL"), "UNIQUE outbox.inbound"
    ),
    "two deliveries under one key": Attempt(
        OUTBOX.format(1, "NULL", "NULL", "k1", "NULL", "new", "NULL"), "UNIQUE outbox.key"
    ),
    "a delivery of a fourth kind": Attempt("UPDATE outbox SET kind = 'shout'", "ck_outbox_kind"),
    "a chat that counts fewer than no lost replies": Attempt(
        "UPDATE chats SET lost = -1 WHERE id = 2", "ck_chats_live_not_negative"
    ),
    "a delivery that is lost and may still arrive": Attempt(
        "UPDATE outbox SET lost = 0", "ck_outbox_only_the_dead_are_lost"
    ),
    "a delivery in a state that there is not": Attempt(
        "UPDATE outbox SET state = 'lost', closed_at = 5", "ck_outbox_state"
    ),
    "a sent delivery without its time": Attempt(
        "UPDATE outbox SET state = 'sent'", "ck_outbox_a_final_state_has_a_time"
    ),
    "a dead delivery without its time": Attempt(
        "UPDATE outbox SET state = 'dead'", "ck_outbox_a_final_state_has_a_time"
    ),
    "an open delivery with an end": Attempt("UPDATE outbox SET closed_at = 5", "ck_outbox_a_final_state_has_a_time"),
    "a delivery in no chat": Attempt(
        OUTBOX.format(99, "NULL", "NULL", "k2", "NULL", "new", "NULL"), "FOREIGN KEY outbox.chat"
    ),
    "a reply of no turn": Attempt(OUTBOX.format(1, 9, "NULL", "k2", "NULL", "new", "NULL"), "FOREIGN KEY outbox.turn"),
    "a reply to no event": Attempt(
        OUTBOX.format(1, "NULL", 99, "k2", "NULL", "new", "NULL"), "FOREIGN KEY outbox.inbound"
    ),
    "an edit of no delivery": Attempt(
        OUTBOX.format(1, "NULL", "NULL", "k2", 99, "new", "NULL"), "FOREIGN KEY outbox.replaces"
    ),
    "two parts in one place": Attempt(
        "INSERT INTO outbox_parts (delivery, n, payload) VALUES (1, 0, '')", "UNIQUE outbox_parts.delivery"
    ),
    "a part of no delivery": Attempt(
        "INSERT INTO outbox_parts (delivery, n, payload) VALUES (9, 0, '')", "FOREIGN KEY outbox_parts.delivery"
    ),
    "two cursors of one scope": Attempt(
        "INSERT INTO cursors (channel, account, scope, value, moved_at) VALUES ('fake', 'acme', 'updates', '8', 0)",
        "UNIQUE cursors.channel",
    ),
    "two events of one further name": Attempt(TWIN.format("e1b", 2), "UNIQUE twins.event_key"),
    "a further name of no event": Attempt(TWIN.format("e2b", 99), "FOREIGN KEY twins.inbound"),
    "somebody who asks twice": Attempt(PAIRING.format("carl", "c2", "NULL"), "UNIQUE pairings.channel"),
    "one code for two people": Attempt(PAIRING.format("ben", "c1", "NULL"), "UNIQUE pairings.code"),
    "approved as a king": Attempt(PAIRING.format("ben", "c2", "'king'"), "ck_pairings_role"),
}

ALLOWED: dict[str, str] = {
    "something missed and the first of it": "UPDATE chats SET missed = 2, missed_first = 4, missed_at = 5 WHERE id = 2",
    "words that steer": "UPDATE inbound SET lane = 'steer' WHERE id = 2",
    "a thread beside its room": CHAT.format("'room'", "'t1'"),
    "the same event key on another account": INBOUND.format(chat=2, channel="fake", account="other", key="e1"),
    "the same event key on another channel": INBOUND.format(chat=2, channel="pigeon", account="acme", key="e1"),
    "a second queued turn": TURN.format(3, 1, "queued", "NULL"),
    "a running turn in each chat": TURN.format(4, 2, "running", "NULL"),
    "many finished turns": TURN.format(3, 1, "done", 5),
    "another call's result": STEP.format(1, 4, "tool_finished", 1, 1),
    "the same call of another turn": STEP.format(2, 1, "tool_finished", 1, 0),
    "a call that runs again after a yes": STEP.format(1, 4, "tool_started", 1, 0),
    "the same grant in another chat": GRANT.format(2, "run"),
    "two steps that are no calls": STEP.format(1, 4, "model_answered", "NULL", "NULL"),
    "many replies that answer no event": OUTBOX.format(1, 1, "NULL", "k2", "NULL", "sent", 5),
    "a second part": "INSERT INTO outbox_parts (delivery, n, payload) VALUES (1, 1, '')",
    "a question that waits behind another": WAIT.format(1, 1, 2, "question", "anna", "NULL"),
    "a question shown to somebody else": WAIT.format(1, 1, 2, "question", "ben", 9),
    "an approval beside a question": WAIT.format(1, 1, 2, "approval", "anna", 9),
    "the same person's question in another chat": WAIT.format(2, 2, 2, "question", "anna", 9),
    "a lease that ends": "UPDATE chats SET owner = NULL, until = NULL WHERE id = 1",
}


@pytest.fixture(scope="module")
def household(new_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A store with one row of everything."""
    path = shutil.copy(new_file, tmp_path_factory.mktemp("household") / "parley.db")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(HOUSEHOLD)
    yield connection
    connection.close()


@pytest.fixture
def tables(household: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """The household; whatever a test does to it is undone."""
    household.execute("BEGIN")
    yield household
    household.execute("ROLLBACK")


@pytest.mark.parametrize("attempt", REFUSED.values(), ids=REFUSED.keys())
def test_the_store_refuses(tables: sqlite3.Connection, attempt: Attempt) -> None:
    kind, _, columns = attempt.constraint.partition(" ")
    expected = {"UNIQUE": f"UNIQUE constraint failed: {columns}", "FOREIGN": "FOREIGN KEY constraint failed"}
    with pytest.raises(sqlite3.IntegrityError) as refusal:
        tables.execute(attempt.sql)
    assert str(refusal.value).startswith(expected.get(kind, f"CHECK constraint failed: {attempt.constraint}"))


@pytest.mark.parametrize("sql", ALLOWED.values(), ids=ALLOWED.keys())
def test_the_store_allows(tables: sqlite3.Connection, sql: str) -> None:
    assert tables.execute(sql).rowcount == 1


def test_every_constraint_has_somebody_who_tries_to_break_it() -> None:
    tried = [attempt.constraint for attempt in REFUSED.values()]
    assert [promise for promise in promises() if not any(promise.startswith(one) for one in tried)] == []


def test_columns_that_must_hold_something_refuse_nothing(tables: sqlite3.Connection) -> None:
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.nullable or column.primary_key:
                continue
            with pytest.raises(
                sqlite3.IntegrityError, match=rf"NOT NULL constraint failed: {table.name}.{column.name}"
            ):
                tables.execute(f'UPDATE {table.name} SET "{column.name}" = NULL')


def test_no_turn_step_or_delivery_can_lose_what_it_belongs_to(tables: sqlite3.Connection) -> None:
    for table in ("chats", "inbound", "turns", "outbox"):
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            tables.execute(f"DELETE FROM {table} WHERE id = 1")


def test_ids_are_never_used_again(tables: sqlite3.Connection) -> None:
    tables.execute("DELETE FROM inbound WHERE id = 4")
    tables.execute(INBOUND.format(chat=1, channel="fake", account="acme", key="e9"))
    assert tables.execute("SELECT max(id) FROM inbound").fetchone() == (5,)


def promises() -> Iterator[str]:
    """All that the schema says, in the words of the attempts above; ids that the store draws itself are left out."""
    for table in metadata.sorted_tables:
        for constraint in table.constraints:
            match constraint:
                case CheckConstraint():
                    yield str(constraint.name)
                case ForeignKeyConstraint():
                    yield f"FOREIGN KEY {named(constraint.columns)}"
                case UniqueConstraint():
                    yield f"UNIQUE {named(constraint.columns)}"
                case PrimaryKeyConstraint() if not table.dialect_options["sqlite"]["autoincrement"]:
                    yield f"UNIQUE {named(constraint.columns)}"
        yield from (f"UNIQUE {named(index.columns)}" for index in table.indexes if index.unique)


def named(columns: Iterable[Column[object]]) -> str:
    """As the database names them when it refuses."""
    return ", ".join(f"{column.table.name}.{column.name}" for column in columns)
