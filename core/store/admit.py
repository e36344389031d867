"""A message becomes a turn."""

from sqlalchemy import Connection, bindparam, insert, update

from core.domain.message import Inbound
from core.domain.turn import ModelChoice, TurnEvent, TurnState, after
from core.ports import Accepted, Claim
from core.store.admission import Admission
from core.store.chat_lock import Locked
from core.store.schema import chats, turns
from core.store.sql import execute, now_ms
from core.store.viewing import COLLECTING

INSERT_TURN = insert(turns).values(
    id=bindparam("turn"),
    chat=bindparam("chat"),
    session=bindparam("session"),
    agent=bindparam("agent"),
    state=bindparam("state"),
    attempt=bindparam("attempt"),
)

ENQUEUE = (
    update(chats).where(chats.c.id == bindparam("b_chat")).values(live=chats.c.live + 1, ready=bindparam("b_ready"))
)

CLAIM_AT_ONCE = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=1,
        ready=bindparam("b_turn"),
        owner=bindparam("b_owner"),
        fence=chats.c.fence + 1,
        until=now_ms() + bindparam("b_lease"),
    )
)

HOLD = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(live=1, ready=bindparam("b_turn"), owner=COLLECTING, until=now_ms() + bindparam("b_burst"))
)


def admit(
    conn: Connection,
    event: Inbound,
    chat: Locked,
    turn: int,
    choice: ModelChoice,
    admission: Admission,
    burst_ms: int = 0,
) -> Accepted:
    """Claimed in the same commit when the chat is idle and this process has a slot, else queued.

    With `burst_ms` an idle chat is leased to nobody for so long, so that more can be said for the same turn.
    """
    holds = burst_ms > 0 and chat.live == 0
    at_once = admission.owner is not None and chat.live == 0 and not holds
    agent = chat.agent or admission.agent(event.chat)
    state = after(TurnState.QUEUED, TurnEvent.CLAIMED) if at_once else TurnState.QUEUED
    execute(
        conn,
        INSERT_TURN,
        {
            "turn": turn,
            "chat": chat.id,
            "session": chat.session,
            "agent": agent,
            "state": state.value,
            "attempt": int(at_once),
        },
    )
    if holds:
        execute(conn, HOLD, {"b_chat": chat.id, "b_turn": turn, "b_burst": burst_ms})
        return Accepted(inbound=turn, chat_row=chat.id, turn=turn, burst_ms=burst_ms)
    if not at_once:
        # A waiting turn has cleared `ready`; nothing overtakes it.
        ready = turn if chat.live == 0 else chat.ready
        execute(conn, ENQUEUE, {"b_chat": chat.id, "b_ready": ready})
        return Accepted(inbound=turn, chat_row=chat.id, turn=turn, queued_before=chat.live)
    return _claim(conn, event, chat, turn, agent, choice, admission)


def _claim(
    conn: Connection, event: Inbound, chat: Locked, turn: int, agent: str, choice: ModelChoice, admission: Admission
) -> Accepted:
    execute(
        conn,
        CLAIM_AT_ONCE,
        {"b_chat": chat.id, "b_turn": turn, "b_owner": admission.owner, "b_lease": admission.lease_ms},
    )
    claim = Claim(
        chat_row=chat.id,
        chat=event.chat,
        turn=turn,
        fence=chat.fence + 1,
        signals=chat.signals,
        epoch=chat.epoch,
        session=chat.session,
        agent=agent,
        choice=choice,
        attempt=1,
        shared=event.shared,
    )
    return Accepted(inbound=turn, chat_row=chat.id, turn=turn, claim=claim)
