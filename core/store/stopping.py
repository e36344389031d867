"""Ending every live turn of a chat, inside the commit that takes the order to."""

from dataclasses import replace

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
        epoch=chats.c.epoch + bindparam("b_anew"),
        session=bindparam("b_session"),
    )
)


def stop(conn: Connection, chat: Locked, texts: Texts, *, session: int | None = None) -> tuple[int, ...]:
    """End the turns and questions of a chat. Gives the turns.

    With `session` that one is current from now on, and every worker reads its past anew.
    """
    stopped: tuple[int, ...] = ()
    if chat.live:
        stopped = tuple(conn.execute(STOP_TURNS, {"b_chat": chat.id}).scalars())
    if chat.waits:
        waits.cancel(conn, chat.id, texts)
    if chat.live or session is not None:
        now = chat.session if session is None else session
        conn.execute(FREE_CHAT, {"b_chat": chat.id, "b_anew": int(session is not None), "b_session": now})
    return stopped


def after_stop(chat: Locked, session: int) -> Locked:
    """The chat as `stop` with this session leaves it."""
    return replace(
        chat,
        live=0,
        asks=0,
        ready=None,
        fence=chat.fence + 1,
        signals=chat.signals + 1,
        epoch=chat.epoch + 1,
        session=session,
        waits=(),
    )
