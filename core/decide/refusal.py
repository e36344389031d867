"""What somebody hears who is not let in."""

from core.decide.decisions import Drop
from core.decide.gate import Refused
from core.decide.view import ChatView, Rules
from core.domain.message import Inbound, InboundKind

NOT_LISTED = "not_listed"


def may_be_refused(inbound: Inbound, rules: Rules) -> bool:
    """Only words that were meant for us, where the channel takes such answers: by mail they would feed loops."""
    meant = inbound.addressed is True or (inbound.addressed is None and not inbound.shared)
    spoken = inbound.kind in (InboundKind.MESSAGE, InboundKind.COMMAND)
    return meant and spoken and inbound.sender.verified and rules.refuses(inbound.chat)


def refuse(inbound: Inbound, chat: ChatView, rules: Rules, why: Refused) -> Drop:
    """Said once a person and day; what was said is not kept."""
    if why.reason == NOT_LISTED and not chat.told and may_be_refused(inbound, rules):
        return Drop(reason=why.reason, notice=rules.texts.say("refusal"))
    return Drop(reason=why.reason)
