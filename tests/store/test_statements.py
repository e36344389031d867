"""What statements cost: none walks through a growing table, and a message takes few of them."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.interfaces import DBAPICursor

from core.domain.chat import ChatKey
from core.domain.texts import Texts
from core.models.scripted import ScriptedModel, calls, says
from core.ports import Claim
from core.store import (
    chats,
    claims,
    commands,
    dying,
    endings,
    expiry,
    inbox,
    last_turn,
    listing,
    outbox,
    redrive,
    session,
    sessions,
    spending,
    turns,
)
from tests.fakes.gateway import House, opened
from tests.fakes.platform import FakePlatform
from tests.fakes.tools import answers
from tests.store.desk import LANE, LEASE_MS, admission, choose, ending, message, new_key, place, receipt
from tests.store.statements import counted, plan, shape_of, sorts, sql_of, statements, use_for_long, walks

# For people, who look once in a while: these may walk along an index or the ids.
WALKING: dict[str, str] = {
    "listing.CHATS": "counts the chats for an operator, who has few beside messages",
    "listing.INBOX_NEWEST": "newest first, ends at its limit",
    "listing.OUTBOX_NEWEST": "newest first, ends at its limit",
    "listing.OUTBOX_STATE": "newest first, ends at its limit",
    "session_listing.SESSIONS_NEWEST": "adds up the sessions of all chats for an operator",
}
# What is sorted here is one turn, one chat's reach, or what is at work right now.
SORTING: dict[str, str] = {
    "listing.INBOX_OF_TURN": "the messages of one turn",
    "listing.OUTBOX_OF": "the deliveries of one message",
    "listing.LIVE_BY_STATE": "live turns only",
    "session.SAID": "two hundred turns of one chat",
    "session_listing.SESSIONS_NEWEST": "the sessions of all chats",
    "sessions.SPOKEN": "the messages of one turn",
    "turns.HISTORY": "two hundred turns of one chat",
}
ALL = statements()
# These come with time and not with messages.
POLLING = frozenset({"CLAIM_CHAT", "RENEW", "PENDING", "DUE", "REMIND", "UNANNOUNCED"})
POLLS = {shape_of(sql_of(statement)) for name, statement in ALL.items() if name.split(".")[1] in POLLING}


@pytest.fixture(scope="module")
def used(new_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A store that was used for long."""
    path = Path(shutil.copy(new_file, tmp_path_factory.mktemp("used") / "parley.db"))
    use_for_long(path, chats=300, turns=1_000)
    connection = sqlite3.connect(path)
    # Without foreign keys: plans would show look-ups for them that SQLite does only when a key was broken before.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.create_function("parley_now", 0, lambda: 0)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def analysed(used: sqlite3.Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The same, with the statistics that make SQLite plan otherwise."""
    connection = sqlite3.connect(tmp_path_factory.mktemp("analysed") / "parley.db")
    used.backup(connection)
    connection.create_function("parley_now", 0, lambda: 0)
    connection.execute("ANALYZE")
    yield connection
    connection.close()


def test_the_statements_are_found() -> None:
    assert {"LOCK_CHAT", "ANSWER_COMMAND", "HISTORY", "RENEW"} <= {name.split(".")[1] for name in ALL}
    assert len(ALL) >= 70


@pytest.mark.parametrize("name", [name for name in ALL if name not in WALKING])
def test_no_growing_table_is_read_whole_by(used: sqlite3.Connection, analysed: sqlite3.Connection, name: str) -> None:
    assert walks(plan(used, ALL[name])) == []
    assert walks(plan(analysed, ALL[name])) == []


@pytest.mark.parametrize("name", [name for name in ALL if name not in SORTING])
def test_nothing_is_sorted_by(used: sqlite3.Connection, name: str) -> None:
    assert sorts(plan(used, ALL[name])) == []


def test_whatever_may_walk_or_sort_really_does(used: sqlite3.Connection) -> None:
    assert [name for name in WALKING if not walks(plan(used, ALL[name]))] == []
    assert [name for name in SORTING if not sorts(plan(used, ALL[name]))] == []


# --- the price of an operation is the same in an old store as in a new one ---

KEY = place()
CLAIM = Claim(chat_row=1, chat=KEY, turn=0, fence=1, signals=0, epoch=0, agent="main", choice=choose(None), attempt=1)


def begin(conn: Connection, chat: ChatKey = KEY) -> Claim:
    """A running turn."""
    accepted = inbox.accept(conn, message(chat=chat), replace(admission(), key=new_key()))
    assert accepted.claim is not None
    return accepted.claim


def reply(conn: Connection) -> int:
    """A reply that waits to be sent."""
    claim = begin(conn)
    endings.finish(conn, claim, ending(), new_key(), False, Texts({}))
    return claim.chat_row


def send(conn: Connection) -> None:
    """A delivery from its claim to its receipt."""
    delivery = outbox.next_delivery(conn, reply(conn))
    assert delivery is not None
    outbox.keep_parts(conn, delivery, [{"text": "a"}, {"text": "b"}])
    outbox.stored_parts(conn, delivery)
    outbox.sent(conn, delivery, receipt(), True, True)
    dying.dead(conn, delivery.id, delivery.chat_row, "gone", True)
    redrive.retry(conn, delivery.id)
    redrive.drop(conn, delivery.id)


def go_on(conn: Connection) -> None:
    """Queued, claimed, renewed, given back, claimed and finished."""
    inbox.accept(conn, message(), admission(None))
    inbox.accept(conn, message(), admission(None))
    (claim,) = claims.claim(conn, "w", LEASE_MS, 1)
    claims.renew(conn, "w", LEASE_MS, [1])
    claims.release(conn, claim)
    (claim,) = claims.claim(conn, "w", LEASE_MS, 1)
    endings.finish(conn, claim, ending(), new_key(), False, Texts({}))


OPERATIONS: dict[str, Callable[[Connection], object]] = {
    "taking a message": begin,
    "taking a message again": lambda conn: inbox.accept(conn, message(event_key="old 1"), admission()),
    "stopping": lambda conn: (begin(conn), inbox.accept(conn, message("/stop"), replace(admission(), key=new_key()))),
    "resuming": lambda conn: (
        inbox.accept(conn, message("/new"), replace(admission(), key=new_key())),
        inbox.accept(conn, message("/resume 1"), replace(admission(), key=new_key())),
    ),
    "undoing": lambda conn: (reply(conn), inbox.accept(conn, message("/undo"), replace(admission(), key=new_key()))),
    "trying again": lambda conn: (
        reply(conn),
        inbox.accept(conn, message("/retry"), replace(admission(), key=new_key())),
    ),
    "listing the sessions of a chat": lambda conn: sessions.sessions(conn, 1),
    "looking at the last turn": lambda conn: last_turn.last_turn(conn, 1),
    "adding up today": lambda conn: spending.used_since(conn, 1, 1),
    "beginning anew": lambda conn: inbox.accept(conn, message("/new"), replace(admission(), key=new_key())),
    "working on turns": go_on,
    "answering": reply,
    "sending": send,
    "looking for commands": commands.pending,
    "voiding leases": lambda conn: (begin(conn), claims.void_leases(conn)),
    "looking for what is due": lambda conn: (reply(conn), outbox.due(conn, LANE)),
    "looking for questions that are due": expiry.anything_due,
    "asking whether anything is under way": lambda conn: (begin(conn), session.under_way(conn, KEY)),
    "reading what is new in the history": lambda conn: turns.history(conn, claim := begin(conn), claim.turn - 1),
    "finding a message by its key": lambda conn: listing.inbox_one(conn, "old 7"),
    "tracing a message": lambda conn: listing.trace(conn, "7"),
    "the overview": listing.overview,
    "showing the queue of a chat": lambda conn: chats.queue(conn, 1),
    "choosing a model": lambda conn: chats.set_model(conn, 1, "second"),
    "finding a delivery": lambda conn: listing.outbox_one(conn, 5),
    "finding a chat": lambda conn: listing.chat_row(conn, KEY),
    "finding a chat that is not there": lambda conn: session.under_way(conn, place("nowhere")),
    "listing the newest": lambda conn: (listing.inbox(conn, 5), listing.outbox_list(conn, 5)),
}


@pytest.fixture(scope="module")
def ages(new_file: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store after a day and after years."""
    folder = tmp_path_factory.mktemp("ages")
    young, old = (Path(shutil.copy(new_file, folder / name)) for name in ("young.db", "old.db"))
    use_for_long(young, chats=20, turns=20)
    use_for_long(old, chats=1_000, turns=1_000)
    return young, old


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS.keys())
def test_an_old_store_is_no_slower_at(ages: tuple[Path, Path], operation: Callable[[Connection], object]) -> None:
    young, old = ages
    with counted(young) as cost:
        before = cost(operation)
    with counted(old) as cost:
        assert cost(operation) <= 2 * before + 100


# --- statements a message ---


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """Every statement that any engine is given, polls left out: those come with time and not with messages."""
    found: list[str] = []

    def note(conn: Connection, cursor: DBAPICursor, statement: str, *rest: object) -> None:
        if shape_of(statement) not in POLLS and not statement.startswith("BEGIN"):
            found.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    yield found
    event.remove(Engine, "before_cursor_execute", note)


def split(found: list[str]) -> tuple[int, int]:
    """How many of them write, how many read."""
    writing = sum(statement.split()[0] in ("INSERT", "UPDATE", "DELETE") for statement in found)
    return writing, len(found) - writing


@pytest.fixture
def talk(tmp_path: Path) -> tuple[House, FakePlatform, ScriptedModel]:
    """A whole gateway with one tool."""
    platform, model = FakePlatform(), ScriptedModel()
    look = answers("look", "nothing")
    return House(folder=tmp_path, platform=platform, models=[model], tools={"look": look}), platform, model


async def statements_of(talk: tuple[House, FakePlatform, ScriptedModel], heard: list[str]) -> tuple[int, int]:
    """What the second message of a chat costs; the script holds the answers to both."""
    house, platform, _ = talk
    anna = platform.person("anna")
    async with opened(house) as gateway:
        await anna.says("hello")
        await anna.hears("hi")
        while await gateway.world.store.read(session.under_way, place()):
            pass
        # The lane of the first reply looks once more before it is free: what it asks the store stands before this.
        for _ in range(2):
            await gateway.world.store.run(lambda conn: None)
        heard.clear()
        await anna.says("and now?")
        await anna.hears("done")
        # The receipt is written behind the words: the next write stands behind it.
        await gateway.world.store.run(lambda conn: None)
        return split(heard)


async def test_a_message_without_tools_costs_nine_statements_and_one_read(
    talk: tuple[House, FakePlatform, ScriptedModel], heard: list[str]
) -> None:
    talk[2].then(says("hi"), says("done"))
    writing, reading = await statements_of(talk, heard)
    assert writing <= 9, heard
    assert reading <= 1, heard


async def test_a_round_of_a_repeatable_tool_costs_two_more(
    talk: tuple[House, FakePlatform, ScriptedModel], heard: list[str]
) -> None:
    talk[2].then(says("hi"), calls("look"), calls("look"), says("done"))
    writing, reading = await statements_of(talk, heard)
    assert writing <= 9 + 2 * 2, heard
    assert reading <= 1, heard
