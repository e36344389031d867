"""T3 to T-end: the log of a turn, and its last commit. Every write is checked against the fence."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, case, func, insert, literal, null, select, union_all, update
from sqlalchemy.sql import Executable

from core.domain.chat import Principal
from core.domain.delivery import Delivery, DeliveryState
from core.domain.history import Exchange, Said
from core.domain.step import Stamped
from core.domain.turn import TurnEvent, TurnState, after
from core.ports import Claim, Ending, Finished
from core.store import codec
from core.store.schema import chats, inbound, outbox, steps, turns
from core.store.sql import now_ms

# How many earlier turns a prompt can reach back to; what fits into a window is decided later.
HISTORY_TURNS = 200

_ours = and_(chats.c.id == bindparam("b_chat"), chats.c.fence == bindparam("b_fence"))

APPEND = insert(steps).from_select(
    ["turn", "seq", "kind", "call_step", "call_index", "body", "at"],
    select(
        bindparam("b_turn", type_=steps.c.turn.type),
        bindparam("b_seq", type_=steps.c.seq.type),
        bindparam("b_kind", type_=steps.c.kind.type),
        bindparam("b_call_step", type_=steps.c.call_step.type),
        bindparam("b_call_index", type_=steps.c.call_index.type),
        bindparam("b_body", type_=steps.c.body.type),
        now_ms(),
    )
    .select_from(chats)
    .where(_ours)
    .with_for_update(),
)

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
    .returning(chats.c.live)
)

FENCE = select(chats.c.fence).where(chats.c.id == bindparam("b_chat"))

CLOSE_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(state=bindparam("b_state"), cause=bindparam("b_cause"), finished_at=now_ms())
)

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

INSERT_DELIVERY = (
    insert(outbox)
    .values(
        chat=bindparam("chat"),
        turn=bindparam("turn"),
        key=bindparam("key"),
        reply=bindparam("reply"),
        state=bindparam("state"),
        attempt=bindparam("attempt"),
        created_at=now_ms(),
    )
    .returning(outbox.c.id, outbox.c.created_at)
)

_window = (
    select(turns.c.id)
    .where(
        turns.c.chat == bindparam("b_chat"),
        turns.c.id > bindparam("b_since"),
        turns.c.id <= bindparam("b_turn"),
        turns.c.undone == 0,
    )
    .order_by(turns.c.id.desc())
    .limit(HISTORY_TURNS)
    .cte("reach")
)

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

# One statement for both halves of the log: what people said (0), then what happened (1).
HISTORY: Executable = union_all(
    select(
        func.coalesce(inbound.c.turn, inbound.c.id).label("turn"),
        literal(0).label("half"),
        inbound.c.id.label("seq"),
        inbound.c.content.label("body"),
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.attachments,
        inbound.c.at,
        inbound.c.channel,
        inbound.c.account,
    ).where(inbound.c.id.in_(select(_window.c.id))),
    select(
        steps.c.turn,
        literal(1),
        steps.c.seq,
        steps.c.body,
        null(),
        null(),
        null(),
        steps.c.at,
        null(),
        null(),
    ).where(steps.c.turn.in_(select(_window.c.id)), steps.c.frame == 0),
).order_by("turn", "half", "seq")


def history(conn: Connection, held: Claim, since: int) -> list[Exchange]:
    """The chat's log after turn `since`, at most 200 turns of it, the claimed turn last."""
    rows = conn.execute(HISTORY, {"b_chat": held.chat_row, "b_turn": held.turn, "b_since": max(since, held.cut)})
    said: dict[int, list[Said]] = {}
    happened: dict[int, list[Stamped]] = {}
    for turn, half, seq, body, sender, sender_name, attachments, at, channel, account in rows:
        if half:
            happened.setdefault(turn, []).append(Stamped(seq=seq, step=codec.step_value(body)))
            continue
        who = Principal(channel=channel, account=account, user_id=sender, name=sender_name)
        files = codec.attachments_value(attachments)
        said.setdefault(turn, []).append(Said(inbound=seq, sender=who, content=body, at=at, attachments=files))
    return [
        Exchange(turn=turn, said=tuple(said[turn]), steps=tuple(happened.get(turn, ())), closed=turn != held.turn)
        for turn in sorted(said)
    ]


def append(conn: Connection, held: Claim, stamped: Sequence[Stamped]) -> bool:
    """Add to the log; False, and nothing added, when the lease is lost."""
    for one in stamped:
        call = codec.call_of(one.step)
        row = {
            "b_turn": held.turn,
            "b_seq": one.seq,
            "b_kind": one.step.kind,
            "b_call_step": call.step if call else None,
            "b_call_index": call.index if call else None,
            "b_body": codec.step_text(one.step),
            "b_chat": held.chat_row,
            "b_fence": held.fence,
        }
        if conn.execute(APPEND, row).rowcount == 0:
            return False
    return True


def finish(conn: Connection, held: Claim, ending: Ending, key: str, send_now: bool) -> Finished:
    """Close the turn, write its reply and free the chat, if the lease is ours and no signal came in."""
    left = conn.execute(
        LEAVE_CHAT, {"b_chat": held.chat_row, "b_fence": held.fence, "b_signals": held.signals}
    ).scalar()
    if left is None:
        return _not_ours(conn, held)
    event = TurnEvent.FAILED if ending.cause else TurnEvent.FINISHED
    state = after(TurnState.RUNNING, event)
    conn.execute(CLOSE_TURN, {"b_turn": held.turn, "b_state": state.value, "b_cause": ending.cause})
    if ending.step is not None:
        step = ending.step
        body = codec.step_text(step.step)
        conn.execute(INSERT_STEP, {"turn": held.turn, "seq": step.seq, "kind": step.step.kind, "body": body})
    if left:
        conn.execute(NEXT_READY, {"b_chat": held.chat_row})
    delivery = _deliver(conn, held, ending, key, send_now)
    return Finished(delivery=delivery if send_now else None, waiting=bool(left))


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


def _deliver(conn: Connection, held: Claim, ending: Ending, key: str, send_now: bool) -> Delivery:
    state = DeliveryState.SENDING if send_now else DeliveryState.NEW
    row = {
        "chat": held.chat_row,
        "turn": held.turn,
        "key": key,
        "reply": codec.reply_text(ending.reply),
        "state": state.value,
        "attempt": int(send_now),
    }
    delivery_id, created_at = conn.execute(INSERT_DELIVERY, row).one()
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
    )
