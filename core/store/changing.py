"""What was said is said otherwise, or taken back: before anybody has read it, or while a turn is at work on it."""

from dataclasses import replace
from typing import assert_never

from sqlalchemy import Connection, bindparam, case, func, insert, null, or_, select, update

from core.decide.decisions import Change, Halt, Replace, Withdraw
from core.domain.message import Inbound
from core.domain.text import well_formed
from core.domain.turn import TurnEvent, TurnState, after
from core.ports import Accepted
from core.store import codec
from core.store.halting import halt
from core.store.schema import chats, inbound, turns
from core.store.sql import now_ms
from core.store.stored import Stored

DELETED = "deleted"

REPLACE = (
    update(inbound)
    .where(inbound.c.id == bindparam("b_inbound"))
    .values(
        content=bindparam("b_content"),
        attachments=func.coalesce(bindparam("b_attachments"), inbound.c.attachments),
    )
)

TAKE_BACK = (
    update(inbound)
    .where(inbound.c.id == bindparam("b_inbound"))
    .values(content="", attachments=null(), turn=null(), drop_reason=DELETED)
)

# What else the turn opens with. A turn that is tried again is headed by the command that asked for it.
REST = select(func.min(inbound.c.id)).where(
    or_(inbound.c.id == bindparam("b_turn"), inbound.c.turn == bindparam("b_turn")),
    inbound.c.lane == "turn",
    inbound.c.drop_reason.is_(None),
)

_old = inbound.alias("old")
HEAD = (
    update(inbound)
    .where(inbound.c.id == bindparam("b_head"))
    .values(turn=null(), choice=select(_old.c.choice).where(_old.c.id == bindparam("b_turn")).scalar_subquery())
)

FOLLOW = (
    update(inbound)
    .where(inbound.c.turn == bindparam("b_turn"), inbound.c.lane == "turn")
    .values(turn=bindparam("b_head"))
)

AS_BEFORE = insert(turns).from_select(
    ["id", "chat", "session", "agent", "state", "attempt"],
    select(
        bindparam("b_head", type_=turns.c.id.type),
        turns.c.chat,
        turns.c.session,
        turns.c.agent,
        turns.c.state,
        turns.c.attempt,
    ).where(turns.c.id == bindparam("b_turn")),
)

# `undone`: nobody will read in a later prompt what was taken back.
FORGET_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(state=after(TurnState.QUEUED, TurnEvent.CANCELLED).value, undone=1, finished_at=now_ms())
)

READY_INSTEAD = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"), chats.c.ready == bindparam("b_turn"))
    .values(ready=bindparam("b_head"))
)

_was_next = chats.c.ready == bindparam("b_turn")
_oldest = (
    select(func.min(turns.c.id))
    .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
    .scalar_subquery()
)
# Nobody works on the turn, so the lease that may lie on the chat is another turn's, or waits for a burst to end.
LEAVE_QUEUE = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=chats.c.live - 1,
        ready=case((_was_next, _oldest), else_=chats.c.ready),
        owner=case((_was_next, null()), else_=chats.c.owner),
        until=case((_was_next, null()), else_=chats.c.until),
    )
)


def change(conn: Connection, stored: Stored, decision: Change) -> Accepted:
    """Carry out what was decided about an edit or a delete."""
    match decision:
        case Replace():
            _replace(conn, stored.inbound, decision)
            return stored.accepted()
        case Withdraw():
            _withdraw(conn, stored.chat.id, decision)
            return stored.accepted(resumed=stored.chat.live > 1)
        case Halt(turn=turn):
            freed = halt(conn, stored.chat, turn, stored.admission.rules.texts)
            accepted = stored.accepted(resumed=freed.live > 0)
            return replace(accepted, stopped=(turn,), replies=bool(stored.chat.waits))
        case _:
            assert_never(decision)


def _replace(conn: Connection, event: Inbound, decision: Replace) -> None:
    """The turn reads the new words; files stay where the edit brings none."""
    row = {"b_inbound": decision.inbound, "b_content": well_formed(event.content)}
    conn.execute(REPLACE, {**row, "b_attachments": codec.attachments_text(event.attachments)})


def _withdraw(conn: Connection, chat_row: int, decision: Withdraw) -> None:
    """The message is gone; what was said together with it keeps its place, and a turn without any message ends."""
    conn.execute(TAKE_BACK, {"b_inbound": decision.inbound})
    rest = conn.execute(REST, {"b_turn": decision.turn}).scalar()
    place = {"b_chat": chat_row, "b_turn": decision.turn, "b_head": rest}
    if rest is None:
        conn.execute(FORGET_TURN, place)
        conn.execute(LEAVE_QUEUE, place)
    elif decision.inbound == decision.turn:
        for statement in (HEAD, FOLLOW, AS_BEFORE, FORGET_TURN, READY_INSTEAD):
            conn.execute(statement, place)
