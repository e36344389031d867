"""Commands that stop what runs in a chat: for whom they do it, and what is said."""

from core.decide.decisions import Cancel, Drop, Rewind
from core.decide.rights import may_stop
from core.decide.sessions import REWINDS, Rewinding
from core.decide.view import ChatView, Rules
from core.domain.command import CommandCall
from core.domain.message import Inbound
from core.domain.texts import Texts

# Applied in the intake's own commit, so that no crash can lie between taking a stop and stopping. True cuts history.
_CANCELS = {"stop": False, "new": True}

STOPPING = frozenset({*_CANCELS, *REWINDS})


def stop(inbound: Inbound, call: CommandCall, chat: ChatView, rules: Rules) -> Cancel | Rewind | Drop:
    """A command of STOPPING is carried out, or nothing ends and the person is told who could do it."""
    starter = chat.starter
    if starter is not None and not may_stop(inbound, chat, rules) and not _takes_own_back(inbound, call, chat):
        notice = rules.texts.say("stop_not_yours", name=starter.name or starter.user_id)
        return Drop(reason="stop_not_yours", notice=notice)
    if call.name in REWINDS:
        return Rewind(call=call, to=REWINDS[call.name], waiting=_waiting(chat))
    cut = _CANCELS[call.name]
    return Cancel(call=call, cut=cut, notice=_notice(cut, chat, rules.texts))


def _notice(cut: bool, chat: ChatView, texts: Texts) -> str:
    if cut:
        return texts.say("new")
    if not chat.live:
        return texts.say("nothing_runs")
    waiting = _waiting(chat)
    return texts.say("stopped_dropped", n=waiting) if waiting else texts.say("stopped")


def _waiting(chat: ChatView) -> int:
    """Messages that wait together are one turn; the person counts messages."""
    return max(chat.live - 1, chat.backlog.messages, 0)


def _takes_own_back(inbound: Inbound, call: CommandCall, chat: ChatView) -> bool:
    """`/undo` of what the sender said last and nobody has read yet: nothing that runs is touched."""
    burst = chat.burst
    return (
        call.name == Rewinding.UNDO and chat.live > 1 and burst is not None and burst.sender == inbound.sender.user_id
    )
