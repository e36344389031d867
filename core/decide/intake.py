"""What to do with something that came in: one decision, made while the chat's row is locked."""

from core.decide.activation import overheard, read_along
from core.decide.answers import press
from core.decide.changes import change
from core.decide.decisions import Decision
from core.decide.gate import Refused, authorize
from core.decide.late import late
from core.decide.orders import said
from core.decide.refusal import refuse
from core.decide.view import ChatView, Rules
from core.domain.message import Inbound, InboundKind


def decide(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    """The gate first, then what is not for us or too late, changes and buttons, commands, and last the queue."""
    role = authorize(inbound, rules.policy, chat.known)
    if isinstance(role, Refused):
        return read_along(inbound, rules, role) or refuse(inbound, chat, rules, role)
    if passed_over := overheard(inbound, chat, rules) or late(inbound, chat, rules):
        return passed_over
    match inbound.kind:
        case InboundKind.EDIT | InboundKind.DELETE:
            return change(inbound, chat.target)
        case InboundKind.BUTTON:
            return press(inbound, chat, rules)
        case InboundKind.MESSAGE | InboundKind.COMMAND:
            return said(inbound, chat, rules)
