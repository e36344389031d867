"""What comes too late to be answered, as after an outage."""

from core.decide.answers import answer, press
from core.decide.commands import parse
from core.decide.decisions import Answer, Drop
from core.decide.view import ChatView, Rules
from core.domain.message import Inbound, InboundKind
from core.domain.wait import Wait

TOO_OLD = "too_old"


def late(inbound: Inbound, chat: ChatView, rules: Rules) -> Answer | Drop | None:
    """None for what is in time.

    An answer counts however long it was on its way, as long as its question is open and was there before it.
    """
    if rules.max_age is None or not inbound.at or inbound.at >= chat.now - rules.max_age(inbound.chat):
        return None
    return _answer(inbound, chat, rules) or _missed(inbound, rules)


def _answer(inbound: Inbound, chat: ChatView, rules: Rules) -> Answer | None:
    match inbound.kind:
        case InboundKind.BUTTON:
            decision: Answer | Drop | None = press(inbound, chat, rules)
        case InboundKind.MESSAGE if parse(inbound.content, rules.commands) is None:
            decision = answer(inbound, inbound.content, chat, rules)
        case _:
            return None
    return decision if isinstance(decision, Answer) and inbound.at >= _shown_at(decision.wait) else None


def _shown_at(wait: Wait) -> int:
    return (wait.deadline or 0) - wait.question.lasts


def _missed(inbound: Inbound, rules: Rules) -> Drop:
    """What would have been a turn is kept, to be run on demand; an order of long ago is no order any more."""
    if inbound.kind not in (InboundKind.MESSAGE, InboundKind.COMMAND):
        return Drop(reason=f"{inbound.kind.value}_{TOO_OLD}")
    if parse(inbound.content, rules.commands) is not None:
        return Drop(reason=f"command_{TOO_OLD}")
    if not inbound.content.strip() and not inbound.attachments:
        return Drop(reason="empty")
    return Drop(reason=TOO_OLD, kept=True)
