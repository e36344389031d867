"""What to do with something that came in: one decision, made while the chat's row is locked."""

from core.decide.answers import answer, press
from core.decide.changes import change
from core.decide.commands import Misspelt, parse
from core.decide.decisions import Decision, Drop
from core.decide.gate import Refused, authorize
from core.decide.late import late
from core.decide.orders import order
from core.decide.queueing import begin
from core.decide.view import ChatView, Rules
from core.domain.message import Inbound, InboundKind


def decide(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    """The gate first, then what is too late, then changes and buttons, then commands, and last the queue."""
    role = authorize(inbound.sender, rules.policy)
    if isinstance(role, Refused):
        return Drop(reason=role.reason)
    if decision := late(inbound, chat, rules):
        return decision
    match inbound.kind:
        case InboundKind.EDIT | InboundKind.DELETE:
            return change(inbound, chat.target)
        case InboundKind.BUTTON:
            return press(inbound, chat, rules)
        case InboundKind.MESSAGE | InboundKind.COMMAND:
            return _said(inbound, chat, rules)


def _said(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    call = parse(inbound.content, rules.commands)
    match call:
        case Misspelt(written=written, nearest=nearest):
            notice = rules.texts.say("unknown_command", command=written, nearest=nearest)
            return Drop(reason="unknown_command", notice=notice)
        case None:
            return answer(inbound, inbound.content, chat, rules) or begin(inbound, chat, rules)
        case _:
            return order(inbound, call, chat, rules)
