"""T1: whatever came in, stored and decided in one commit.

The chat's row is locked before an id is drawn, so ids grow in commit order within a chat.
"""

from sqlalchemy import Connection

from core.decide.decisions import Decision, Drop
from core.decide.intake import decide
from core.domain.message import Dropped, Inbound
from core.ports import Accepted
from core.store import inbound_rows
from core.store.admission import Admission
from core.store.chat_lock import Locked, lock
from core.store.performing import perform
from core.store.stored import Stored
from core.store.viewing import view


def accept(conn: Connection, event: Inbound | Dropped, admission: Admission) -> Accepted:
    """Store the event and what follows from it. The same event again changes nothing but the cursor."""
    chat = lock(conn, event)
    inbound_rows.move_cursor(conn, event)
    decision = _judge(conn, event, chat, admission)
    choice = admission.choose(chat.model)
    inbound_id = inbound_rows.insert(conn, event, chat.id, decision, choice)
    if inbound_id is None:
        return Accepted(inbound=0, chat_row=chat.id, duplicate=True)
    stored = Stored(event=event, id=inbound_id, chat=chat, choice=choice, admission=admission)
    return perform(conn, stored, decision)


def _judge(conn: Connection, event: Inbound | Dropped, chat: Locked, admission: Admission) -> Decision:
    if isinstance(event, Dropped):
        return Drop(reason=event.reason)
    return decide(event, view(conn, event, chat, admission.rules), admission.rules)
