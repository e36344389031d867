"""A message joins a turn of others: one that waits to begin, or one that runs."""

from sqlalchemy import Connection, bindparam, null, update

from core.decide.decisions import Collect, Steer
from core.ports import Accepted, Signal
from core.store.chat_lock import Locked
from core.store.schema import chats
from core.store.sql import now_ms
from core.store.viewing import COLLECTING

WAIT_ON = update(chats).where(chats.c.id == bindparam("b_chat")).values(until=now_ms() + bindparam("b_burst"))

LET_GO = update(chats).where(chats.c.id == bindparam("b_chat")).values(owner=null(), until=null())

SIGNAL = update(chats).where(chats.c.id == bindparam("b_chat")).values(signals=chats.c.signals + 1)


def collect(conn: Connection, chat: Locked, inbound_id: int, decision: Collect) -> Accepted:
    """One more message for a turn that nobody has begun. In an idle chat a little longer is waited for the next."""
    accepted = Accepted(inbound=inbound_id, chat_row=chat.id, queued_before=chat.live - 1)
    if chat.owner != COLLECTING or chat.ready != decision.turn:
        return accepted
    if not decision.burst_ms:
        conn.execute(LET_GO, {"b_chat": chat.id})
        return Accepted(inbound=inbound_id, chat_row=chat.id, resumed=True)
    conn.execute(WAIT_ON, {"b_chat": chat.id, "b_burst": decision.burst_ms})
    return Accepted(inbound=inbound_id, chat_row=chat.id, burst_ms=decision.burst_ms)


def steer(conn: Connection, chat: Locked, inbound_id: int, decision: Steer) -> Accepted:
    """The signal lets the turn neither park nor end before it has read this."""
    conn.execute(SIGNAL, {"b_chat": chat.id})
    signal = Signal(turn=decision.turn, count=chat.signals + 1)
    return Accepted(inbound=inbound_id, chat_row=chat.id, signal=signal)
