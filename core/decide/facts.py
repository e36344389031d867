"""Which facts a decision needs beside the chat's row: reading them all would cost every message a look at the queue."""

from enum import Flag, auto

from core.decide.activation import may_follow, overheard
from core.decide.commands import parse
from core.decide.gate import AllowBots, DmPolicy, Refused, authorize
from core.decide.refusal import tells
from core.decide.sessions import Rewinding
from core.decide.stops import STOPPING
from core.decide.view import ChatView, Rules
from core.domain.chat import QueueMode, SenderKind
from core.domain.command import CommandCall
from core.domain.message import Inbound, InboundKind


class Fact(Flag):
    """One read each, named by the field of ChatView that it fills."""

    NONE = 0
    STARTER = auto()
    BACKLOG = auto()
    BURST = auto()
    TARGET = auto()
    TOLD = auto()


class Lookup(Flag):
    """One read each about the sender, named by the field of Known that it fills."""

    NONE = 0
    PAIRED = auto()
    BOT_TURNS = auto()
    ANSWERED = auto()


def to_know(inbound: Inbound, rules: Rules) -> Lookup:
    """What the gate has to look up; nothing for whoever the settings let in, or keep out."""
    sender, policy = inbound.sender, rules.policy
    door, needed = policy.door(sender), Lookup.NONE
    refused = isinstance(authorize(inbound, policy), Refused)
    if refused and door.dm is DmPolicy.PAIRING and sender.verified and sender.kind is SenderKind.PERSON:
        needed |= Lookup.PAIRED
    if sender.kind is SenderKind.BOT and door.bots is not AllowBots.OFF and not refused:
        needed |= Lookup.BOT_TURNS
    if may_follow(inbound, rules):
        needed |= Lookup.ANSWERED
    return needed


def facts(inbound: Inbound, chat: ChatView, rules: Rules) -> Fact:
    """What to look up for `decide`; nothing for a message to an idle chat."""
    verdict = authorize(inbound, rules.policy, chat.known)
    if isinstance(verdict, Refused):
        return Fact.TOLD if tells(inbound, rules, verdict) else Fact.NONE
    if overheard(inbound, chat, rules):
        return Fact.NONE
    if not chat.live or inbound.kind is InboundKind.BUTTON:
        return Fact.NONE
    if inbound.kind in (InboundKind.EDIT, InboundKind.DELETE):
        return Fact.TARGET
    return _of_words(inbound, chat, rules)


def _of_words(inbound: Inbound, chat: ChatView, rules: Rules) -> Fact:
    call = parse(inbound.content, rules.commands)
    stops = isinstance(call, CommandCall) and call.name in STOPPING
    needed = Fact.NONE
    if inbound.shared and (stops or chat.mode is QueueMode.INTERRUPT):
        needed |= Fact.STARTER
    if inbound.shared and isinstance(call, CommandCall) and call.name == Rewinding.UNDO:
        needed |= Fact.BURST
    if chat.mode is QueueMode.COLLECT:
        needed |= Fact.BURST | Fact.BACKLOG
    if chat.waiting >= min(rules.queueing.chat, rules.queueing.person):
        needed |= Fact.BACKLOG
    return needed
