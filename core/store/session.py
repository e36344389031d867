"""What one window needs of its session: the conversation so far, and whether anything is still under way."""

from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    desc,
    func,
    literal,
    literal_column,
    select,
    union_all,
    update,
)
from sqlalchemy.sql import Executable

from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState
from core.domain.message import Markdown, plain
from core.domain.turn import TurnState
from core.store import codec
from core.store.listing import chat_row
from core.store.schema import inbound, outbox, turns
from core.store.sql import now_ms

TRANSCRIPT_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a conversation: what `sender` said, or what was answered."""

    mine: bool
    text: str
    at: int
    markdown: bool
    sender: str = ""


UNDER_WAY = select(
    select(func.count())
    .select_from(turns)
    .where(
        turns.c.chat == bindparam("b_chat"),
        turns.c.finished_at.is_(None),
        turns.c.state != TurnState.WAITING.value,
    )
    .scalar_subquery()
    + select(func.count())
    .select_from(outbox)
    .where(outbox.c.chat == bindparam("b_chat"), outbox.c.closed_at.is_(None))
    .scalar_subquery()
    + select(func.count())
    .select_from(inbound)
    .where(literal_column("+inbound.chat") == bindparam("b_chat"), literal_column("inbound.pending = 1"))
    .scalar_subquery()
)

BROKEN_SINCE = (
    select(func.count())
    .select_from(turns)
    .where(
        turns.c.chat == bindparam("b_chat"),
        turns.c.finished_at >= bindparam("b_since"),
        turns.c.state == TurnState.BROKEN.value,
    )
)

_reach = (
    select(turns.c.id)
    .where(
        turns.c.chat == bindparam("b_chat"),
        turns.c.session == bindparam("b_session"),
        turns.c.undone == 0,
    )
    .order_by(turns.c.id.desc())
    .limit(TRANSCRIPT_LINES)
    .cte("reach")
)


def _said(turn: ColumnElement[int] | ColumnElement[int | None]) -> Select[*tuple[object, ...]]:
    return select(
        turn.label("about"),
        literal(0).label("half"),
        inbound.c.id.label("id"),
        inbound.c.content.label("body"),
        inbound.c.received_at.label("at"),
        func.coalesce(func.nullif(inbound.c.sender_name, ""), inbound.c.sender).label("sender"),
    ).where(turn.in_(select(_reach.c.id)), inbound.c.lane != literal_column("'control'"))


_answered: Select[*tuple[object, ...]] = select(
    outbox.c.turn, literal(1), outbox.c.id, outbox.c.reply, outbox.c.created_at, literal("")
).where(outbox.c.turn.in_(select(_reach.c.id)), outbox.c.kind != "draft")

SAID: Executable = (
    union_all(
        _said(inbound.c.id).where(inbound.c.turn.is_(None)),
        _said(inbound.c.turn),
        _answered,
    )
    .order_by(desc("about"), desc("half"), desc("id"))
    .limit(TRANSCRIPT_LINES)
)

SHOWN = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(state=DeliveryState.SENT.value, closed_at=now_ms(), error=None)
)


def under_way(conn: Connection, key: ChatKey) -> int:
    """How much of the chat still runs, waits its turn or waits to be shown; a question to the person does not count."""
    row = chat_row(conn, key)
    return conn.execute(UNDER_WAY, {"b_chat": row[0]}).scalar_one() if row else 0


def broken_since(conn: Connection, key: ChatKey, since: int) -> int:
    """How many turns of the chat ended without an answer after that time."""
    row = chat_row(conn, key)
    return conn.execute(BROKEN_SINCE, {"b_chat": row[0], "b_since": since}).scalar_one() if row else 0


def recall(conn: Connection, key: ChatKey) -> list[Line]:
    """The current conversation, at most 200 lines of it, oldest first.

    Replies that no window has shown yet count as shown with it: a resuming window prints what this returns.
    """
    row = chat_row(conn, key)
    if row is None:
        return []
    return lines(conn, row[0], row[1], show=True)


def lines(conn: Connection, chat: int, session: int, *, show: bool) -> list[Line]:
    """The newest 200 lines of a session, oldest first; with `show` its replies count as shown from now on."""
    found = conn.execute(SAID, {"b_chat": chat, "b_session": session}).all()
    for _, half, line_id, *_ in found if show else ():
        if half:
            conn.execute(SHOWN, {"b_id": line_id})
    return [_line(half, body, at, sender) for _, half, _, body, at, sender in sorted(found)]


def _line(half: int, body: str, at: int, sender: str) -> Line:
    if not half:
        return Line(mine=True, text=body, at=at, markdown=False, sender=sender)
    reply = codec.reply_value(body)
    extras = [f"[file: {file.name}, {file.path}]" for file in reply.files]
    extras += [f"{number}. {choice.label}" for number, choice in enumerate(reply.choices, 1)]
    return Line(
        mine=False,
        text="\n\n".join([plain(reply), *extras]),
        at=at,
        markdown=any(isinstance(fragment, Markdown) for fragment in reply.fragments),
    )
