"""Ending every live turn of a chat, inside the commit that takes the order to."""

from sqlalchemy import Connection, bindparam, null, update

from core.domain.texts import Texts
from core.domain.turn import TurnEvent, TurnState, after
from core.store import waits
from core.store.chat_lock import Locked
from core.store.schema import chats, turns
from core.store.sql import now_ms

STOP_TURNS = (
    update(turns)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
    .values(state=after(TurnState.RUNNING, TurnEvent.CANCELLED), finished_at=now_ms())
    .returning(turns.c.id)
)

# The fence takes the chat away from whoever works on it: nothing of a stopped turn is written any more.
FREE_CHAT = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=0,
        asks=0,
        ready=null(),
        owner=null(),
        until=null(),
        fence=chats.c.fence + 1,
        signals=chats.c.signals + 1,
        epoch=chats.c.epoch + bindparam("b_cut"),
    )
)

CUT_HISTORY = update(chats).where(chats.c.id == bindparam("b_chat")).values(cut=bindparam("b_after"))


def stop(conn: Connection, chat: Locked, texts: Texts, *, cut_after: int | None) -> tuple[int, ...]:
    """End the turns and questions of a chat; with `cut_after` history starts anew behind that id. Gives the turns."""
    stopped: tuple[int, ...] = ()
    if chat.live:
        stopped = tuple(conn.execute(STOP_TURNS, {"b_chat": chat.id}).scalars())
    if chat.waits:
        waits.cancel(conn, chat.id, texts)
    if chat.live or cut_after is not None:
        conn.execute(FREE_CHAT, {"b_chat": chat.id, "b_cut": int(cut_after is not None)})
    if cut_after is not None:
        conn.execute(CUT_HISTORY, {"b_chat": chat.id, "b_after": cut_after})
    return stopped
