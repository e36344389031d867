"""The messages of the newest turn become a new one."""

from dataclasses import replace

from sqlalchemy import Connection, bindparam, func, literal_column, null, or_, select, update

from core.domain.message import Inbound
from core.domain.turn import ModelChoice
from core.ports import Accepted
from core.store import sessions
from core.store.admission import Admission
from core.store.admit import admit
from core.store.chat_lock import Locked
from core.store.notices import notice, told
from core.store.schema import inbound, turns
from core.store.stopping import after_stop, stop

OLDEST_LIVE = select(func.min(turns.c.id)).where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))

# What came while nobody was there and was too old to be answered by itself.
LEFT_UNANSWERED = (
    select(inbound.c.id)
    .where(
        inbound.c.chat == bindparam("b_chat"),
        inbound.c.id > bindparam("b_after"),
        inbound.c.drop_reason == literal_column("'too_old'"),
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


def retry(
    conn: Connection, event: Inbound, chat: Locked, inbound_id: int, choice: ModelChoice, admission: Admission
) -> Accepted:
    """The command's own row heads the new turn, and the messages move over to it."""
    texts = admission.rules.texts
    again = _again(conn, chat)
    if again is None:
        return told(conn, chat, inbound_id, texts.say("nothing_to_retry"), admission)
    stopped = stop(conn, chat, texts, session=chat.session)
    sessions.hide(conn, again)
    conn.execute(MOVE, {"b_from": again, "b_turn": inbound_id})
    dropped = len(stopped) - 1
    if dropped > 0:
        notice(conn, chat.id, inbound_id, texts.say("stopped_dropped", n=dropped), admission.key)
    accepted = admit(conn, event, after_stop(chat, chat.session), inbound_id, choice, admission)
    return replace(accepted, stopped=stopped, replies=dropped > 0)


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
