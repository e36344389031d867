"""`/resume`, `/undo` and `/retry`, inside the commit that takes the command: no crash can lie between the two."""

from sqlalchemy import Connection

from core.decide.decisions import Rewind
from core.decide.sessions import Rewinding, number
from core.ports import Accepted
from core.store.resuming import resume
from core.store.retrying import retry
from core.store.stored import Stored
from core.store.undoing import undo


def rewind(conn: Connection, stored: Stored, decision: Rewind) -> Accepted:
    """Carry the decision out, and tell the person."""
    match decision.to:
        case Rewinding.RESUME:
            return resume(conn, stored, number(decision.call.arguments))
        case Rewinding.UNDO:
            return undo(conn, stored)
        case Rewinding.RETRY:
            return retry(conn, stored, decision.waiting)
