"""The sessions of a chat. Each is known by the `/new` that began it, 0 for the first; no row holds one."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, bindparam, func, literal_column, or_, select, update

from core.domain.session import Session
from core.domain.text import first_words
from core.store import codec
from core.store.schema import chats, inbound, turns

LISTED = 10
WORDS = 50

# Word for word as the partial index has it.
_BOUNDARY: ColumnElement[bool] = literal_column("inbound.command = 'new'")

CURRENT = select(chats.c.session).where(chats.c.id == bindparam("b_chat"))

BOUNDARIES = select(inbound.c.id).where(inbound.c.chat == bindparam("b_chat"), _BOUNDARY).order_by(inbound.c.id)

BOUNDARY = (
    select(inbound.c.id)
    .where(inbound.c.chat == bindparam("b_chat"), _BOUNDARY)
    .order_by(inbound.c.id)
    .limit(1)
    .offset(bindparam("b_before"))
)

BEFORE = (
    select(func.count())
    .select_from(inbound)
    .where(inbound.c.chat == bindparam("b_chat"), _BOUNDARY, inbound.c.id <= bindparam("b_session"))
)

FIRST_TURN = (
    select(turns.c.id)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.session == bindparam("b_session"), turns.c.undone == 0)
    .order_by(turns.c.id)
    .limit(1)
)

NEWEST_TURN = (
    select(turns.c.id, turns.c.finished_at)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.session == bindparam("b_session"), turns.c.undone == 0)
    .order_by(turns.c.id.desc())
    .limit(1)
)

HIDE = update(turns).where(turns.c.id == bindparam("b_turn")).values(undone=1)

SPOKEN = (
    select(inbound.c.content, inbound.c.attachments, inbound.c.received_at)
    .where(
        or_(inbound.c.id == bindparam("b_turn"), inbound.c.turn == bindparam("b_turn")),
        inbound.c.lane != literal_column("'control'"),
    )
    .order_by(inbound.c.id)
    .limit(1)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestTurn:
    """A turn, and whether it is queued, running or waiting."""

    id: int
    live: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a turn or a session begins: the first words, and when they came."""

    words: str
    at: int


def sessions(conn: Connection, chat_row: int) -> list[Session]:
    """The newest ten sessions in which anything was said, and the current one; newest first."""
    current = conn.execute(CURRENT, {"b_chat": chat_row}).scalar_one()
    begun = [0, *conn.execute(BOUNDARIES, {"b_chat": chat_row}).scalars()]
    found: list[Session] = []
    for number, session in sorted(enumerate(begun, 1), reverse=True):
        if len(found) >= LISTED and session != current:
            continue
        first = opening(conn, chat_row, session)
        if first is not None:
            found.append(Session(number=number, began=first.at, words=first.words, current=session == current))
        elif session == current:
            found.append(Session(number=number, began=None, words=None, current=True))
    return found


def session_of(conn: Connection, chat_row: int, number: int) -> int | None:
    """The session of that number; None when the chat never had so many."""
    if number <= 1:
        return 0 if number == 1 else None
    found: int | None = conn.execute(BOUNDARY, {"b_chat": chat_row, "b_before": number - 2}).scalar()
    return found


def number_of(conn: Connection, chat_row: int, session: int) -> int:
    """The number of a session: how many began before it, and one."""
    return 1 + conn.execute(BEFORE, {"b_chat": chat_row, "b_session": session}).scalar_one()


def newest_turn(conn: Connection, chat_row: int, session: int) -> NewestTurn | None:
    """The newest of a session that can be seen."""
    row = conn.execute(NEWEST_TURN, {"b_chat": chat_row, "b_session": session}).one_or_none()
    return None if row is None else NewestTurn(id=row.id, live=row.finished_at is None)


def hide(conn: Connection, turn: int) -> None:
    """No later prompt shows the turn; workers that know it are to read anew (`chats.epoch`)."""
    conn.execute(HIDE, {"b_turn": turn})


def opening(conn: Connection, chat_row: int, session: int) -> Opening | None:
    """How a session begins; None while nothing in it can be seen."""
    turn = conn.execute(FIRST_TURN, {"b_chat": chat_row, "b_session": session}).scalar()
    return None if turn is None else spoken(conn, turn)


def spoken(conn: Connection, turn: int) -> Opening | None:
    """How a turn begins: a person's words, or the name of the file that came without any."""
    row = conn.execute(SPOKEN, {"b_turn": turn}).one_or_none()
    if row is None:
        return None
    files = [file.name for file in codec.attachments_value(row.attachments)]
    return Opening(words=first_words(row.content.strip() or ", ".join(files), WORDS), at=row.received_at)
