"""An earlier session becomes the current one."""

from sqlalchemy import Connection

from core.ports import Accepted
from core.store import sessions
from core.store.stopping import stop
from core.store.stored import Stored
from core.store.telling import tell


def resume(conn: Connection, stored: Stored, n: int | None) -> Accepted:
    """What runs or waits here belongs to the session that is left, so it ends as by `/new`."""
    chat, texts = stored.chat, stored.texts
    if n is None:
        return tell(conn, stored, texts.say("resume_which"))
    session = sessions.session_of(conn, chat.id, n)
    if session is not None and session == chat.session:
        return tell(conn, stored, texts.say("resumed_already", n=n))
    first = None if session is None else sessions.opening(conn, chat.id, session)
    if session is None or first is None:
        return tell(conn, stored, texts.say("session_unknown", n=n))
    stopped = stop(conn, chat, texts, session=session)
    return tell(conn, stored, texts.say("resumed", n=n, words=first.words), stopped)
