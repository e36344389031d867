"""What is decided about an event, and what its sender is at that moment."""

from sqlalchemy import Connection

from core.decide.decisions import Drop
from core.decide.gate import Refused, authorize
from core.decide.intake import decide
from core.decide.view import Rules
from core.domain.message import Dropped, Inbound
from core.store.chat_lock import Locked
from core.store.inbound_rows import Judged
from core.store.knowing import known_of
from core.store.viewing import view


def judge(conn: Connection, event: Inbound | Dropped, chat: Locked, rules: Rules) -> Judged:
    """Only reads; with the chat locked."""
    if isinstance(event, Dropped):
        return Judged(decision=Drop(reason=event.reason))
    known = known_of(conn, event, chat.id, rules)
    role = authorize(event, rules.policy, known)
    decision = decide(event, view(conn, event, chat, rules, known), rules)
    return Judged(decision=decision, role=None if isinstance(role, Refused) else role)
