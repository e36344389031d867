"""What becomes of a message for the agent, by the chat's queue mode."""

from core.decide.decisions import Begin, Collect, Drop, Enqueue, Interrupt, Steer
from core.decide.rights import may_stop
from core.decide.view import ChatView, Queueing, Rules
from core.domain.chat import QueueMode
from core.domain.message import Inbound
from core.domain.wait import WaitKind

QUEUE_FULL = "queue_full"


def begin(inbound: Inbound, chat: ChatView, rules: Rules, said: str | None = None) -> Begin | Drop:
    """`said` is what was said when that is not all of the content."""
    if not (inbound.content if said is None else said).strip() and not inbound.attachments:
        return Drop(reason="empty")
    return _by_mode(inbound, chat, rules, said)


def _by_mode(inbound: Inbound, chat: ChatView, rules: Rules, said: str | None) -> Begin | Drop:
    match chat.mode:
        case QueueMode.STEER if chat.at_work is not None:
            return steer(inbound, chat.at_work, said)
        case QueueMode.INTERRUPT if chat.at_work is not None and may_stop(inbound, chat, rules):
            return _full(chat, rules) or Interrupt(turn=chat.at_work, then=Enqueue(said=said))
        case QueueMode.COLLECT:
            return _full(chat, rules) or _collect(inbound, chat, rules.queueing, said)
        case _:
            return _full(chat, rules) or Enqueue(waits_for=_waited_for(chat), said=said)


def steer(inbound: Inbound, turn: int, said: str | None = None) -> Steer:
    """Tell a turn that has begun."""
    return Steer(turn=turn, said=inbound.content if said is None else said)


def _full(chat: ChatView, rules: Rules) -> Drop | None:
    """Said once as long as it lasts; each refusal is recorded."""
    queueing, backlog = rules.queueing, chat.backlog
    waiting = max(chat.waiting, backlog.messages)
    if waiting < queueing.chat and backlog.senders < queueing.person:
        return None
    notice = None if backlog.refused else rules.texts.say("queue_full", n=waiting)
    return Drop(reason=QUEUE_FULL, notice=notice, kept=True)


def _collect(inbound: Inbound, chat: ChatView, queueing: Queueing, said: str | None) -> Enqueue | Collect:
    """One person's messages only: whoever is asked or judged for a turn must have said all of it."""
    burst = chat.burst
    if burst is not None and burst.sender == inbound.sender.user_id and burst.messages < queueing.burst:
        last = burst.messages + 1 == queueing.burst
        return Collect(turn=burst.turn, burst_ms=0 if last else queueing.burst_ms, said=said)
    alone = not chat.live and queueing.burst > 1
    return Enqueue(waits_for=_waited_for(chat), burst_ms=queueing.burst_ms if alone else 0, said=said)


def _waited_for(chat: ChatView) -> str | None:
    """Somebody else whose answer comes first."""
    first = next((wait for wait in chat.waits if wait.question.kind is WaitKind.QUESTION), None)
    asked = first.question.asked if first else None
    return (asked.name or asked.user_id) if asked else None
