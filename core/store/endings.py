"""T-end: the last commit of a turn, or the one that parks it. Both are checked against fence and signals."""

from sqlalchemy import Connection, and_, bindparam, case, func, insert, literal, null, select, update

from core.decide.presence import FRESH_MS, fits_a_draft
from core.domain.delivery import Delivery, DeliveryState
from core.domain.texts import Texts
from core.domain.turn import TurnEvent, TurnState, after
from core.ports import Claim, Ending, Finished
from core.store import codec, waits
from core.store.drafts import DRAFT_IS_FRESH, DRAFT_OF_TURN
from core.store.schema import chats, outbox, steps, turns
from core.store.sql import execute, now_ms

_ours = and_(chats.c.id == bindparam("b_chat"), chats.c.fence == bindparam("b_fence"))

# `live` comes back as it is after the row lock, so no turn that was enqueued meanwhile can be overlooked.
LEAVE_CHAT = (
    update(chats)
    .where(_ours, chats.c.signals == bindparam("b_signals"))
    .values(
        live=chats.c.live - 1,
        owner=null(),
        until=null(),
        ready=case((chats.c.live == 1, null()), else_=chats.c.ready),
    )
    .returning(chats.c.live, chats.c.asks)
)

FENCE = select(chats.c.fence).where(chats.c.id == bindparam("b_chat"))

CLOSE_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(state=bindparam("b_state"), cause=bindparam("b_cause"), finished_at=now_ms())
)

FORGET_WAITS = update(chats).where(chats.c.id == bindparam("b_chat")).values(asks=chats.c.asks - bindparam("b_count"))

NEXT_READY = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        ready=select(func.min(turns.c.id))
        .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
        .scalar_subquery()
    )
)

INSERT_STEP = insert(steps).values(
    turn=bindparam("turn"), seq=bindparam("seq"), kind=bindparam("kind"), body=bindparam("body"), at=now_ms()
)

_waiting = outbox.alias("waiting")
_older_waits = (
    select(literal(1))
    .select_from(_waiting)
    .where(_waiting.c.chat == bindparam("chat"), _waiting.c.closed_at.is_(None))
    .exists()
)

INSERT_DELIVERY = (
    insert(outbox)
    .values(
        chat=bindparam("chat"),
        turn=bindparam("turn"),
        key=bindparam("key"),
        reply=bindparam("reply"),
        replaces=DRAFT_OF_TURN,
        kind=case((DRAFT_IS_FRESH, "edit"), else_="send"),
        # An older reply that still waits goes first, whatever this process could send now.
        state=case((_older_waits, DeliveryState.NEW.value), else_=bindparam("state")),
        attempt=case((_older_waits, 0), else_=bindparam("attempt")),
        created_at=now_ms(),
    )
    .returning(outbox.c.id, outbox.c.created_at, outbox.c.state, outbox.c.kind, outbox.c.replaces)
)

PLACE = select(outbox.c.receipt).where(outbox.c.id == bindparam("b_id"))

PARK_CHAT = (
    update(chats)
    .where(_ours, chats.c.signals == bindparam("b_signals"))
    .values(owner=null(), until=null(), ready=null())
    .returning(chats.c.id)
)

PARK_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(state=after(TurnState.RUNNING, TurnEvent.PARKED).value, attempt=0)
)

SIGNALS = select(chats.c.fence, chats.c.signals).where(chats.c.id == bindparam("b_chat"))


def finish(conn: Connection, held: Claim, ending: Ending, key: str, send_now: bool, texts: Texts) -> Finished:
    """Close the turn, write its reply and free the chat, if the lease is ours and no signal came in.

    A turn that breaks while a question of it is open takes the question with it.
    """
    row = execute(
        conn, LEAVE_CHAT, {"b_chat": held.chat_row, "b_fence": held.fence, "b_signals": held.signals}
    ).one_or_none()
    if row is None:
        return _not_ours(conn, held)
    left, asks = row
    if asks:
        cancelled = waits.cancel(conn, held.chat_row, texts, turn=held.turn)
        conn.execute(FORGET_WAITS, {"b_chat": held.chat_row, "b_count": cancelled})
    event = TurnEvent.FAILED if ending.cause else TurnEvent.FINISHED
    state = after(TurnState.RUNNING, event)
    execute(conn, CLOSE_TURN, {"b_turn": held.turn, "b_state": state.value, "b_cause": ending.cause})
    if ending.step is not None:
        step = ending.step
        body = codec.step_text(step.step)
        execute(conn, INSERT_STEP, {"turn": held.turn, "seq": step.seq, "kind": step.step.kind, "body": body})
    if left:
        execute(conn, NEXT_READY, {"b_chat": held.chat_row})
    return Finished(delivery=_deliver(conn, held, ending, key, send_now), waiting=bool(left))


def park(conn: Connection, held: Claim) -> Finished:
    """Give the chat up until somebody answers, if the lease is ours and no signal came in."""
    row = {"b_chat": held.chat_row, "b_fence": held.fence, "b_signals": held.signals}
    if conn.execute(PARK_CHAT, row).one_or_none() is None:
        return _not_ours(conn, held)
    conn.execute(PARK_TURN, {"b_turn": held.turn})
    return Finished()


def signals(conn: Connection, held: Claim) -> int | None:
    """The chat's signals now; None when the lease is lost."""
    fence, count = conn.execute(SIGNALS, {"b_chat": held.chat_row}).one()
    return count if fence == held.fence else None


def _not_ours(conn: Connection, held: Claim) -> Finished:
    fence = conn.execute(FENCE, {"b_chat": held.chat_row}).scalar()
    return Finished(lost=fence != held.fence, changed=fence == held.fence)


def _deliver(conn: Connection, held: Claim, ending: Ending, key: str, send_now: bool) -> Delivery | None:
    """Write the reply, if there is one; it is given back only if it is marked as sending, for the caller to send."""
    if ending.reply is None:
        return None
    state = DeliveryState.SENDING if send_now else DeliveryState.NEW
    row = {
        "chat": held.chat_row,
        "turn": held.turn,
        "key": key,
        "reply": codec.reply_text(ending.reply),
        "state": state.value,
        "attempt": int(send_now),
        "fresh": FRESH_MS if fits_a_draft(ending.reply) else 0,
    }
    delivery_id, created_at, stored, kind, replaces = execute(conn, INSERT_DELIVERY, row).one()
    if stored != DeliveryState.SENDING.value:
        return None
    place = conn.execute(PLACE, {"b_id": replaces}).scalar_one() if replaces else None
    receipt = codec.receipt_value(place) if place else None
    return Delivery(
        id=delivery_id,
        chat_row=held.chat_row,
        chat=held.chat,
        reply=ending.reply,
        key=key,
        attempt=int(send_now),
        state=state,
        turn=held.turn,
        created_at=created_at,
        edits=receipt if kind == "edit" else None,
        removes=receipt if kind == "send" else None,
    )
