"""Who may stop what runs in a chat."""

from core.decide.gate import authorize
from core.decide.view import ChatView, Rules
from core.domain.chat import Role
from core.domain.message import Inbound


def may_stop(inbound: Inbound, chat: ChatView, rules: Rules) -> bool:
    """In a chat of several people: who started the turn, who is asked, and owners."""
    if not inbound.shared or not chat.live or authorize(inbound, rules.policy, chat.known) is Role.OWNER:
        return True
    sender = inbound.sender.user_id
    if chat.starter is None or sender == chat.starter.user_id:
        return True
    return any(wait.question.asked.user_id == sender for wait in chat.waits)
