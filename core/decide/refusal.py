"""What somebody hears who is not let in."""

from core.decide.decisions import Drop
from core.decide.gate import NOT_LISTED, PLACE_NOT_LISTED, UNKNOWN, Refused
from core.decide.view import ChatView, Rules
from core.domain.chat import SenderKind
from core.domain.message import Inbound, InboundKind

# Where anybody is told so. Programs are not: two of them would go on for ever.
_TOLD = frozenset({NOT_LISTED, PLACE_NOT_LISTED})


def may_be_refused(inbound: Inbound, rules: Rules) -> bool:
    """Only words that were meant for us, where the channel takes such answers: by mail they would feed loops."""
    meant = inbound.addressed is True or (inbound.addressed is None and not inbound.shared)
    spoken = inbound.kind in (InboundKind.MESSAGE, InboundKind.COMMAND)
    person = inbound.sender.kind is SenderKind.PERSON and inbound.sender.verified
    return meant and spoken and person and rules.refuses(inbound.chat)


def tells(inbound: Inbound, rules: Rules, why: Refused) -> bool:
    """Whether the person hears of it, unless they did within a day."""
    return why.reason in _TOLD and may_be_refused(inbound, rules)


def refuse(inbound: Inbound, chat: ChatView, rules: Rules, why: Refused) -> Drop:
    """Said once a person and day; what was said is not kept."""
    if why.reason == UNKNOWN:
        return Drop(reason=why.reason, pairs=may_be_refused(inbound, rules))
    if not chat.told and tells(inbound, rules, why):
        return Drop(reason=why.reason, notice=rules.texts.say("refusal"), refusal=True)
    return Drop(reason=why.reason)
