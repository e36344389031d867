"""The newest turn of a chat is hidden from all later prompts."""

from sqlalchemy import Connection, bindparam, update

from core.domain.turn import TurnEvent, TurnState, after
from core.ports import Accepted
from core.store import sessions
from core.store.schema import chats, turns
from core.store.sql import now_ms
from core.store.stopping import stop
from core.store.stored import Stored
from core.store.telling import tell

TAKE_BACK = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(undone=1, state=after(TurnState.QUEUED, TurnEvent.CANCELLED).value, finished_at=now_ms())
)

READ_ANEW = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(live=chats.c.live - bindparam("b_gone"), epoch=chats.c.epoch + 1)
)


def undo(conn: Connection, stored: Stored) -> Accepted:
    """A message that still waits in the queue is only taken out of it; one that is worked on is stopped first."""
    chat, texts = stored.chat, stored.texts
    newest = sessions.newest_turn(conn, chat.id, chat.session)
    if newest is None:
        return tell(conn, stored, texts.say("nothing_to_undo"))
    first = sessions.spoken(conn, newest.id)
    stopped: tuple[int, ...] = ()
    if newest.live and chat.live > 1:
        conn.execute(TAKE_BACK, {"b_turn": newest.id})
        stopped = (newest.id,)
    elif newest.live:
        stopped = stop(conn, chat, texts, session=chat.session)
    if not newest.live or chat.live > 1:
        conn.execute(READ_ANEW, {"b_chat": chat.id, "b_gone": len(stopped)})
    sessions.hide(conn, newest.id)
    return tell(conn, stored, texts.say("undone", words=first.words if first else ""), stopped)
