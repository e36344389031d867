"""Whether something is said to us, and what becomes of what is not."""

from core.decide.commands import parse
from core.decide.decisions import Overhear
from core.decide.gate import NOT_LISTED, Activation, GroupContext, Refused
from core.decide.view import ChatView, Rules
from core.domain.command import CommandCall
from core.domain.message import Inbound, InboundKind


def overheard(inbound: Inbound, chat: ChatView, rules: Rules) -> Overhear | None:
    """Words in a group that are not meant for us: context of what is said to us later, and never a turn."""
    if not undirected(inbound, rules) or _follows(inbound, chat, rules) or _answers(inbound, chat):
        return None
    return Overhear()


def read_along(inbound: Inbound, rules: Rules, why: Refused) -> Overhear | None:
    """The words of somebody who is not listed, in a place that is, where the operator wants them read."""
    wanted = rules.policy.door(inbound.sender).context is GroupContext.ALL
    return Overhear(trusted=False) if wanted and why.reason == NOT_LISTED and undirected(inbound, rules) else None


def undirected(inbound: Inbound, rules: Rules) -> bool:
    """Words in a group without a sign that they are for us."""
    if inbound.place is None or inbound.addressed is True or inbound.kind is not InboundKind.MESSAGE:
        return False
    if rules.policy.door(inbound.sender).activation is Activation.ALWAYS:
        return False
    return not isinstance(parse(inbound.content, rules.commands), CommandCall)


def may_follow(inbound: Inbound, rules: Rules) -> bool:
    """Whether it depends on our having answered in this thread before."""
    door = rules.policy.door(inbound.sender)
    return door.thread_follow and inbound.chat.thread_id is not None and undirected(inbound, rules)


def _follows(inbound: Inbound, chat: ChatView, rules: Rules) -> bool:
    return chat.known.answered and may_follow(inbound, rules)


def _answers(inbound: Inbound, chat: ChatView) -> bool:
    """Whoever is asked here need not name us to answer."""
    asked = inbound.sender.user_id
    return any(wait.deadline is not None and wait.question.asked.user_id == asked for wait in chat.waits)
