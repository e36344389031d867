"""T1: whatever came in, stored and decided in one commit.

The chat's row is locked before an id is drawn, so ids grow in commit order within a chat.
"""

from typing import assert_never

from sqlalchemy import Connection

from core.decide.intake import Answer, Cancel, ChatView, Command, Decision, Drop, Enqueue, Rewind, decide
from core.domain.message import Dropped, Inbound
from core.ports import Accepted
from core.store import inbound_rows, rewinding, stopping, talking
from core.store.admission import Admission
from core.store.chat_lock import Locked, lock
from core.store.notices import notice


def accept(conn: Connection, event: Inbound | Dropped, admission: Admission) -> Accepted:
    """Store the event and what follows from it. The same event again changes nothing but the cursor."""
    chat = lock(conn, event)
    inbound_rows.move_cursor(conn, event)
    decision = _judge(event, chat, admission)
    choice = admission.choose(chat.model)
    inbound_id = inbound_rows.insert(conn, event, chat.id, decision, choice)
    if inbound_id is None:
        return Accepted(inbound=0, chat_row=chat.id, duplicate=True)
    match decision:
        case Enqueue() | Answer():
            assert isinstance(event, Inbound)
            return talking.take(conn, event, chat, inbound_id, decision, choice, admission)
        case Cancel(cut=cut, notice=text):
            stopped = stopping.stop(conn, chat, admission.rules.texts, session=inbound_id if cut else None)
            notice(conn, chat.id, inbound_id, text, admission.key)
            return Accepted(inbound=inbound_id, chat_row=chat.id, stopped=stopped, replies=True)
        case Rewind():
            assert isinstance(event, Inbound)
            return rewinding.rewind(conn, event, chat, inbound_id, decision, choice, admission)
        case Command():
            return Accepted(inbound=inbound_id, chat_row=chat.id, command=True)
        case Drop(reason=reason, notice=text):
            if text is not None:
                notice(conn, chat.id, inbound_id, text, admission.key)
            return Accepted(inbound=inbound_id, chat_row=chat.id, dropped=reason, replies=text is not None)
        case _:
            assert_never(decision)


def _judge(event: Inbound | Dropped, chat: Locked, admission: Admission) -> Decision:
    if isinstance(event, Dropped):
        return Drop(reason=event.reason)
    view = ChatView(live=chat.live, running=chat.ready is not None, waits=[stored.wait for stored in chat.waits])
    return decide(event, view, admission.rules)
