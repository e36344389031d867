"""Ending one turn that has begun, inside the commit that takes the order to; what waits behind it goes on."""

from dataclasses import replace

from sqlalchemy import Connection, bindparam, func, null, select, update

from core.domain.texts import Texts
from core.domain.turn import TurnEvent, TurnState, after
from core.store import waits
from core.store.chat_lock import Locked
from core.store.schema import chats, turns
from core.store.sql import now_ms

STOP_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"), turns.c.finished_at.is_(None))
    .values(state=after(TurnState.RUNNING, TurnEvent.CANCELLED).value, finished_at=now_ms())
)

# As with `/stop`, the fence takes the chat away from whoever works on it.
TAKE_FROM_CHAT = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=chats.c.live - 1,
        asks=chats.c.asks - bindparam("b_asks"),
        ready=select(func.min(turns.c.id))
        .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
        .scalar_subquery(),
        owner=null(),
        until=null(),
        fence=chats.c.fence + 1,
        signals=chats.c.signals + 1,
    )
    .returning(chats.c.ready)
)


def halt(conn: Connection, chat: Locked, turn: int, texts: Texts) -> Locked:
    """End the oldest turn of a chat and its questions; gives the chat as it is now."""
    conn.execute(STOP_TURN, {"b_turn": turn})
    cancelled = waits.cancel(conn, chat.id, texts, turn=turn) if chat.waits else 0
    ready = conn.execute(TAKE_FROM_CHAT, {"b_chat": chat.id, "b_asks": cancelled}).scalar()
    return replace(
        chat,
        live=chat.live - 1,
        asks=chat.asks - cancelled,
        ready=ready,
        owner=None,
        fence=chat.fence + 1,
        signals=chat.signals + 1,
        waits=tuple(stored for stored in chat.waits if stored.wait.turn != turn),
    )
