"""A message for the agent becomes a turn, part of one, or the answer to a question."""

from dataclasses import replace
from typing import assert_never

from sqlalchemy import Connection

from core.decide.decisions import Answer, Begin, Collect, Enqueue, Interrupt, Steer
from core.ports import Accepted
from core.store import answering, context, joining
from core.store.admit import admit
from core.store.halting import halt
from core.store.stored import Stored


def begin(conn: Connection, stored: Stored, decision: Begin | Answer) -> Accepted:
    """Carry out what was decided about it."""
    match decision:
        case Enqueue():
            return _enqueue(conn, stored, decision)
        case Collect():
            return replace(joining.collect(conn, stored.chat, stored.id, decision), turn=decision.turn)
        case Steer():
            return replace(joining.steer(conn, stored.chat, stored.id, decision), turn=decision.turn)
        case Answer():
            answering.answer(conn, stored.inbound, stored.chat, decision, stored.admission.rules.texts)
            return replace(stored.accepted(resumed=True), replies=True)
        case Interrupt(turn=turn, then=then):
            freed = halt(conn, stored.chat, turn, stored.admission.rules.texts)
            accepted = _enqueue(conn, replace(stored, chat=freed), then)
            said = accepted.replies or bool(stored.chat.waits)
            return replace(accepted, stopped=(turn,), resumed=freed.live > 0, replies=said)
        case _:
            assert_never(decision)


def _enqueue(conn: Connection, stored: Stored, decision: Enqueue) -> Accepted:
    event, chat, name = stored.inbound, stored.chat, decision.waits_for
    if event.place is not None:
        context.join(conn, chat.id, stored.id)
    told = name is not None and answering.tell(conn, event, chat, stored.id, name, stored.admission)
    accepted = admit(conn, event, chat, stored.id, stored.choice, stored.admission, decision.burst_ms)
    return replace(accepted, replies=told)
