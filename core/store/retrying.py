"""The messages of the newest turn become a new one."""

from dataclasses import replace

from sqlalchemy import Connection, bindparam, func, null, or_, select, update

from core.decide.late import TOO_OLD
from core.ports import Accepted
from core.store import sessions
from core.store.admit import admit
from core.store.chat_lock import Locked
from core.store.schema import inbound, turns
from core.store.stopping import after_stop, stop
from core.store.stored import Stored
from core.store.telling import tell

OLDEST_LIVE = select(func.min(turns.c.id)).where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))

# What came while nobody was there and was too old to be answered by itself.
LEFT_UNANSWERED = (
    select(inbound.c.id)
    .where(
        inbound.c.chat == bindparam("b_chat"),
        inbound.c.id > bindparam("b_after"),
        inbound.c.drop_reason == TOO_OLD,
    )
    .order_by(inbound.c.id.desc())
    .limit(1)
)

# The commands that headed earlier attempts go with the messages: all of it is one story for whoever traces it.
MOVE = (
    update(inbound)
    .where(or_(inbound.c.id == bindparam("b_from"), inbound.c.turn == bindparam("b_from")))
    .values(turn=bindparam("b_turn"), drop_reason=null())
)


def retry(conn: Connection, stored: Stored, waiting: int) -> Accepted:
    """The command's own row heads the new turn, and the messages move over to it. What waits is dropped."""
    chat, texts = stored.chat, stored.texts
    again = _again(conn, chat)
    if again is None:
        return tell(conn, stored, texts.say("nothing_to_retry"))
    stopped = stop(conn, chat, texts, session=chat.session)
    sessions.hide(conn, again)
    conn.execute(MOVE, {"b_from": again, "b_turn": stored.id})
    if waiting:
        tell(conn, stored, texts.say("stopped_dropped", n=waiting))
    free = after_stop(chat, chat.session)
    accepted = admit(conn, stored.inbound, free, stored.id, stored.choice, stored.admission)
    return replace(accepted, stopped=stopped, replies=waiting > 0)


def _again(conn: Connection, chat: Locked) -> int | None:
    """The turn that is worked on, else the newest, be it answered or not; or what came since and was too old."""
    if chat.live:
        found: int | None = conn.execute(OLDEST_LIVE, {"b_chat": chat.id}).scalar()
        return found
    newest = sessions.newest_turn(conn, chat.id, chat.session)
    last = newest.id if newest else None
    since = {"b_chat": chat.id, "b_after": max(last or 0, chat.session)}
    left: int | None = conn.execute(LEFT_UNANSWERED, since).scalar()
    return left or last
