"""`/resume`, `/undo` and `/retry`, inside the commit that takes the command: no crash can lie between the two."""

from sqlalchemy import Connection

from core.decide.decisions import Rewind
from core.decide.sessions import Rewinding, number
from core.domain.message import Inbound
from core.domain.turn import ModelChoice
from core.ports import Accepted
from core.store.admission import Admission
from core.store.chat_lock import Locked
from core.store.resuming import resume
from core.store.retrying import retry
from core.store.undoing import undo


def rewind(
    conn: Connection,
    event: Inbound,
    chat: Locked,
    inbound_id: int,
    decision: Rewind,
    choice: ModelChoice,
    admission: Admission,
) -> Accepted:
    """Carry the decision out, and tell the person."""
    match decision.to:
        case Rewinding.RESUME:
            return resume(conn, chat, inbound_id, number(decision.call.arguments), admission)
        case Rewinding.UNDO:
            return undo(conn, chat, inbound_id, admission)
        case Rewinding.RETRY:
            return retry(conn, event, chat, inbound_id, choice, admission)
