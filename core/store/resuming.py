"""An earlier session becomes the current one."""

from sqlalchemy import Connection

from core.ports import Accepted
from core.store import sessions
from core.store.admission import Admission
from core.store.chat_lock import Locked
from core.store.notices import told
from core.store.stopping import stop


def resume(conn: Connection, chat: Locked, inbound_id: int, n: int | None, admission: Admission) -> Accepted:
    """What runs or waits here belongs to the session that is left, so it ends as by `/new`."""
    texts = admission.rules.texts
    if n is None:
        return told(conn, chat, inbound_id, texts.say("resume_which"), admission)
    session = sessions.session_of(conn, chat.id, n)
    if session is not None and session == chat.session:
        return told(conn, chat, inbound_id, texts.say("resumed_already", n=n), admission)
    first = None if session is None else sessions.opening(conn, chat.id, session)
    if session is None or first is None:
        return told(conn, chat, inbound_id, texts.say("session_unknown", n=n), admission)
    stopped = stop(conn, chat, texts, session=session)
    return told(conn, chat, inbound_id, texts.say("resumed", n=n, words=first.words), admission, stopped)
