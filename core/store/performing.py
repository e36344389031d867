"""Carries out what was decided about an event, in the commit that stores it."""

from dataclasses import replace
from typing import assert_never

from sqlalchemy import Connection

from core.decide.decisions import (
    Answer,
    Cancel,
    Collect,
    Command,
    Decision,
    Drop,
    Enqueue,
    Halt,
    Interrupt,
    Overhear,
    Replace,
    Rewind,
    Steer,
    Withdraw,
)
from core.ports import Accepted
from core.store import beginning, changing, dropping, outage, rewinding, stopping
from core.store.notices import notice, undelivered
from core.store.stored import Stored


def perform(conn: Connection, stored: Stored, decision: Decision) -> Accepted:
    """Whatever it is, what nobody was told of is said before it: an outage, and replies that did not arrive."""
    if not stored.chat.untold or isinstance(decision, Drop | Overhear):
        return _perform(conn, stored, decision)
    outage.announce(conn, stored.chat.id, stored.admission.rules.texts)
    # Somebody speaks here, so the chat takes messages again.
    undelivered(conn, stored.chat.id, stored.admission.rules.texts, stored.admission.key)
    return replace(_perform(conn, stored, decision), replies=True)


def _perform(conn: Connection, stored: Stored, decision: Decision) -> Accepted:
    texts = stored.admission.rules.texts
    match decision:
        case Enqueue() | Collect() | Steer() | Interrupt() | Answer():
            return beginning.begin(conn, stored, decision)
        case Replace() | Withdraw() | Halt():
            return changing.change(conn, stored, decision)
        case Rewind():
            return rewinding.rewind(conn, stored, decision)
        case Cancel(cut=cut, notice=text):
            stopped = stopping.stop(conn, stored.chat, texts, session=stored.id if cut else None)
            notice(conn, stored.chat.id, stored.id, text, stored.admission.key, answers=stored.event.event_key)
            return replace(stored.accepted(), stopped=stopped, replies=True)
        case Overhear():
            return stored.accepted()
        case Command():
            return replace(stored.accepted(), command=True)
        case Drop():
            return dropping.drop(conn, stored, decision)
        case _:
            assert_never(decision)
