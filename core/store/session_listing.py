"""Sessions for an operator: those of all chats, and one of them with what was said in it."""

from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, case, func, select

from core.domain.chat import ChatKey
from core.store import listing, session, sessions
from core.store.rows import chat_key
from core.store.schema import chats, turns
from core.store.session import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """One session; `id` is its first turn's, `messages` counts turns, `hidden` those of them that were undone."""

    id: int
    chat: ChatKey
    number: int
    current: bool
    began: int | None
    last: int | None
    messages: int
    hidden: int
    words: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTalk:
    """A session and its newest lines, oldest first."""

    session: SessionLine
    lines: tuple[Line, ...]


_SESSION = (
    select(
        turns.c.chat,
        turns.c.session,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        case((chats.c.session == turns.c.session, 1), else_=0).label("current"),
        func.min(turns.c.id).label("first"),
        func.max(turns.c.id).label("last"),
        func.count().label("messages"),
        func.sum(turns.c.undone).label("hidden"),
    )
    .join(chats, chats.c.id == turns.c.chat)
    .group_by(turns.c.chat, turns.c.session)
)

SESSIONS_NEWEST = _SESSION.order_by(func.max(turns.c.id).desc()).limit(bindparam("b_limit"))

SESSION_ONE = _SESSION.where(turns.c.chat == bindparam("b_chat"), turns.c.session == bindparam("b_session"))

PLACE = select(turns.c.chat, turns.c.session).where(turns.c.id == bindparam("b_turn"))


def newest(conn: Connection, limit: int) -> list[SessionLine]:
    """The sessions of all chats, those first in which somebody spoke last."""
    found = conn.execute(SESSIONS_NEWEST, {"b_limit": min(limit, listing.MOST)}).all()
    return [_line(conn, row) for row in found]


def talk(conn: Connection, name: str) -> SessionTalk | None:
    """The session in which a message was said: by our id of the message, or the platform's event key."""
    message = listing.inbox_one(conn, name)
    place = conn.execute(PLACE, {"b_turn": message.turn}).one_or_none() if message else None
    if place is None:
        return None
    row = conn.execute(SESSION_ONE, {"b_chat": place.chat, "b_session": place.session}).one()
    return SessionTalk(
        session=_line(conn, row), lines=tuple(session.lines(conn, place.chat, place.session, show=False))
    )


def _line(conn: Connection, row: Row[*tuple[object, ...]]) -> SessionLine:
    first = sessions.opening(conn, row.chat, row.session)
    last = sessions.spoken(conn, row.last)
    return SessionLine(
        id=row.first,
        chat=chat_key(row.channel, row.account, row.chat_id, row.thread_id),
        number=sessions.number_of(conn, row.chat, row.session),
        current=bool(row.current),
        began=first.at if first else None,
        last=last.at if last else None,
        messages=row.messages,
        hidden=row.hidden,
        words=first.words if first else None,
    )
