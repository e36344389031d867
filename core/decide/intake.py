"""What to do with something that came in: one decision, made while the chat's row is locked."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.decide.commands import Misspelt, parse
from core.decide.gate import Policy, Refused, authorize
from core.decide.texts import Texts
from core.domain.command import CommandCall, CommandSpec
from core.domain.message import Inbound, InboundKind

# Applied in the intake's own commit, so that no crash can lie between taking a stop and stopping.
_CANCELS = {"stop": False, "new": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """The chat as intake finds it: how many turns are live, and whether one of them may run or runs."""

    live: int
    running: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the operator set, for all chats alike."""

    policy: Policy
    commands: Sequence[CommandSpec]
    texts: Texts
    queued_chat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue:
    """Becomes a turn: at once when the chat is idle, else after those before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Ends every live turn of the chat; with `cut` a new conversation starts after them."""

    call: CommandCall
    cut: bool
    notice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Is performed beside the running turn."""

    call: CommandCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Starts nothing. With `notice` the person is told why."""

    reason: str
    notice: str | None = None


Decision = Enqueue | Cancel | Command | Drop


def decide(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    """The gate first, then commands, then the queue's bound."""
    role = authorize(inbound.sender, rules.policy)
    if isinstance(role, Refused):
        return Drop(reason=role.reason)
    if inbound.kind in (InboundKind.EDIT, InboundKind.DELETE, InboundKind.BUTTON):
        return Drop(reason=f"{inbound.kind}_of_nothing_open")
    call = parse(inbound.content, rules.commands)
    match call:
        case CommandCall(name=name) if name in _CANCELS:
            return Cancel(call=call, cut=_CANCELS[name], notice=_stop_notice(_CANCELS[name], chat, rules.texts))
        case CommandCall():
            return Command(call=call)
        case Misspelt(written=written, nearest=nearest):
            notice = rules.texts.say("unknown_command", command=written, nearest=nearest)
            return Drop(reason="unknown_command", notice=notice)
        case None:
            return _enqueue(inbound, chat, rules)


def _enqueue(inbound: Inbound, chat: ChatView, rules: Rules) -> Decision:
    if not inbound.content.strip() and not inbound.attachments:
        return Drop(reason="empty")
    waiting = chat.live - chat.running
    if waiting >= rules.queued_chat:
        return Drop(reason="queue_full", notice=rules.texts.say("queue_full", n=waiting))
    return Enqueue()


def _stop_notice(cut: bool, chat: ChatView, texts: Texts) -> str:
    if cut:
        return texts.say("new")
    if not chat.live:
        return texts.say("nothing_runs")
    waiting = chat.live - 1
    return texts.say("stopped_dropped", n=waiting) if waiting else texts.say("stopped")
