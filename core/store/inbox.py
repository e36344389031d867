"""T1: whatever came in, stored and decided in one commit.

The chat's row is locked before an id is drawn, so ids grow in commit order within a chat.
"""

from sqlalchemy import Connection

from core.domain.message import Dropped, Inbound
from core.ports import Accepted
from core.store import inbound_rows, moving, twins
from core.store.admission import Admission
from core.store.chat_lock import lock
from core.store.judging import judge
from core.store.performing import perform
from core.store.stored import Stored


def accept(conn: Connection, event: Inbound | Dropped, admission: Admission) -> Accepted:
    """Store the event and what follows from it. The same event again changes nothing but the cursor."""
    chat = lock(conn, event)
    inbound_rows.move_cursor(conn, event)
    if twins.seen(conn, event):
        return Accepted(inbound=0, chat_row=chat.id, duplicate=True)
    judged = judge(conn, event, chat, admission.rules)
    choice = admission.choose(chat.model)
    inbound_id = inbound_rows.insert(conn, event, chat.id, judged, choice)
    if inbound_id is None:
        return Accepted(inbound=0, chat_row=chat.id, duplicate=True)
    twins.keep(conn, event, inbound_id)
    stored = Stored(event=event, id=inbound_id, chat=chat, choice=choice, admission=admission)
    accepted = perform(conn, stored, judged.decision)
    if isinstance(event, Dropped) and event.moved_to is not None:
        moving.move(conn, event.chat, event.moved_to)
    return accepted
