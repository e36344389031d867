"""Commands: most are performed beside the running turn, some are part of the decision itself."""

from core.decide.answers import DECIDING, answer, verdict
from core.decide.decisions import Command, Decision
from core.decide.queueing import begin, steer
from core.decide.stops import STOPPING, stop
from core.decide.view import ChatView, Rules
from core.domain.command import CommandCall
from core.domain.message import Inbound


def order(inbound: Inbound, call: CommandCall, chat: ChatView, rules: Rules) -> Decision:
    """What a command does."""
    if call.name in DECIDING:
        return verdict(inbound, call, chat, rules)
    if call.name in STOPPING:
        return stop(inbound, call, chat, rules)
    if call.name != "steer" or not call.arguments:
        return Command(call=call)
    if chat.at_work is not None:
        return steer(inbound, chat.at_work, call.arguments)
    # With nothing to steer it is an ordinary message.
    return answer(inbound, call.arguments, chat, rules) or begin(inbound, chat, rules, call.arguments)
