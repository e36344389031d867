"""Commands: most are performed beside the running turn, some are part of the decision itself."""

from core.decide.answers import DECIDING, answer, verdict
from core.decide.commands import Misspelt, parse
from core.decide.decisions import Command, Decision, Drop
from core.decide.gate import authorize
from core.decide.queueing import begin, steer
from core.decide.stops import STOPPING, stop
from core.decide.view import ChatView, Rules
from core.domain.chat import Role
from core.domain.command import CommandCall
from core.domain.message import Inbound

GUESTS_HAVE = frozenset({"help", "whoami", "status", "why", "stop"})


def order(inbound: Inbound, call: CommandCall, chat: ChatView, rules: Rules) -> Decision:
    """What a command does. Guests have few."""
    guest = authorize(inbound, rules.policy, chat.known) is Role.GUEST
    if guest and call.name not in GUESTS_HAVE and call.name not in DECIDING:
        return Drop(reason="guest", notice=rules.texts.say("members_only"))
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


def said(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    """Words: a command, almost one, an answer, or a message."""
    call = parse(inbound.content, rules.commands)
    match call:
        case Misspelt(written=written, nearest=nearest):
            notice = rules.texts.say("unknown_command", command=written, nearest=nearest)
            return Drop(reason="unknown_command", notice=notice)
        case None:
            return answer(inbound, inbound.content, chat, rules) or begin(inbound, chat, rules)
        case _:
            return order(inbound, call, chat, rules)
