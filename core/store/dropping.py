"""What starts nothing: its row says why, and the person may hear of it."""

from dataclasses import replace

from sqlalchemy import Connection

from core.decide.decisions import Drop
from core.decide.late import TOO_OLD
from core.ports import Accepted
from core.store import outage, pairing
from core.store.notices import notice
from core.store.stored import Stored


def drop(conn: Connection, stored: Stored, decision: Drop) -> Accepted:
    """Carry it out."""
    if decision.reason == TOO_OLD:
        outage.miss(conn, stored.chat.id, stored.id)
    text = _code(conn, stored) if decision.pairs else decision.notice
    if text is not None:
        notice(conn, stored.chat.id, stored.id, text, stored.admission.key, answers=stored.event.event_key)
    return replace(stored.accepted(), dropped=decision.reason, replies=text is not None)


def _code(conn: Connection, stored: Stored) -> str | None:
    code = pairing.offer(conn, stored.inbound.sender, stored.admission.key)
    return None if code is None else stored.texts.say("pairing", code=code)
