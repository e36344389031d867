"""T3 to T-end: the log of a turn, and its last commit. Every write is checked against the fence."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import (
    Column,
    Connection,
    Select,
    and_,
    bindparam,
    insert,
    literal,
    literal_column,
    null,
    select,
    union_all,
)
from sqlalchemy.sql import Executable

from core.domain.chat import Principal, Role
from core.domain.delivery import DeliveryState
from core.domain.history import Exchange, Said
from core.domain.step import Stamped
from core.ports import Claim
from core.store import codec
from core.store.schema import chats, inbound, outbox, steps, turns
from core.store.sql import execute, now_ms

# How many earlier turns a prompt can reach back to; what fits into a window is decided later.
HISTORY_TURNS = 200

_ours = and_(chats.c.id == bindparam("b_chat"), chats.c.fence == bindparam("b_fence"))

HELD = select(chats.c.id).where(_ours).with_for_update()

APPEND = insert(steps).from_select(
    ["turn", "seq", "frame", "kind", "call_step", "call_index", "body", "at"],
    select(
        bindparam("b_turn", type_=steps.c.turn.type),
        bindparam("b_seq", type_=steps.c.seq.type),
        bindparam("b_frame", type_=steps.c.frame.type),
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

_window = (
    select(turns.c.id)
    .where(
        turns.c.chat == bindparam("b_chat"),
        turns.c.session == bindparam("b_session"),
        turns.c.id > bindparam("b_since"),
        turns.c.id <= bindparam("b_turn"),
        turns.c.undone == 0,
    )
    .order_by(turns.c.id.desc())
    .limit(HISTORY_TURNS)
    .cte("reach")
)


def _said(turn: Column[int] | Column[int | None]) -> Select[*tuple[object, ...]]:
    return select(
        turn.label("turn"),
        literal(0).label("half"),
        inbound.c.id.label("seq"),
        inbound.c.content.label("body"),
        inbound.c.lane,
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.attachments,
        inbound.c.message_id,
        inbound.c.at,
        inbound.c.channel,
        inbound.c.account,
        inbound.c.role,
    )


_again = outbox.alias("again")

# One statement for all of the log: what people said (0), what happened (1), which replies did not arrive (2). A turn is
# headed by the inbound of its own id, unless that is a command; others joined it.
HISTORY: Executable = union_all(
    _said(inbound.c.id).where(
        inbound.c.id.in_(select(_window.c.id)), inbound.c.turn.is_(None), inbound.c.lane == literal_column("'turn'")
    ),
    _said(inbound.c.turn).where(
        inbound.c.turn.in_(select(_window.c.id)), inbound.c.lane != literal_column("'control'")
    ),
    select(
        steps.c.turn,
        literal(1),
        steps.c.seq,
        steps.c.body,
        *(null() for _ in range(5)),
        steps.c.at,
        *(null() for _ in range(3)),
    ).where(steps.c.turn.in_(select(_window.c.id)), steps.c.frame == 0),
    select(
        outbox.c.turn,
        literal(2),
        outbox.c.id,
        outbox.c.error,
        *(null() for _ in range(5)),
        outbox.c.created_at,
        *(null() for _ in range(3)),
    ).where(
        outbox.c.turn.in_(select(_window.c.id)),
        outbox.c.state == DeliveryState.DEAD.value,
        ~select(literal(1))
        .select_from(_again)
        .where(_again.c.turn == outbox.c.turn, _again.c.kind == "again", _again.c.state != DeliveryState.DEAD.value)
        .exists(),
    ),
).order_by("turn", "half", "seq")


def history(conn: Connection, held: Claim, since: int) -> list[Exchange]:
    """The chat's log after turn `since`, at most 200 turns of it, the claimed turn last."""
    reach = {"b_chat": held.chat_row, "b_session": held.session, "b_turn": held.turn, "b_since": since}
    rows = execute(conn, HISTORY, reach)
    said: dict[int, list[Said]] = {}
    happened: dict[int, list[Stamped]] = {}
    undelivered: dict[int, str] = {}
    for turn, half, seq, body, lane, sender, sender_name, attachments, message_id, at, channel, account, role in rows:
        if half == 2:
            undelivered[turn] = body
        elif half:
            happened.setdefault(turn, []).append(Stamped(seq=seq, step=codec.step_value(body)))
        else:
            who = Principal(channel=channel, account=account, user_id=sender, name=sender_name)
            files = codec.attachments_value(attachments)
            one = Said(inbound=seq, sender=who, content=body, at=at, attachments=files)
            one = replace(one, message_id=message_id, steers=lane == "steer", context=lane == "context")
            one = replace(one, role=Role(role) if role else None)
            said.setdefault(turn, []).append(one)
    return [
        Exchange(
            turn=turn,
            said=tuple(said[turn]),
            steps=tuple(happened.get(turn, ())),
            closed=turn != held.turn,
            undelivered=undelivered.get(turn, ""),
        )
        for turn in sorted(said)
    ]


def held_still(conn: Connection, held: Claim) -> bool:
    """Lock the chat's row if the lease is still ours; it stays ours until this transaction ends."""
    return conn.execute(HELD, {"b_chat": held.chat_row, "b_fence": held.fence}).first() is not None


def append(conn: Connection, held: Claim, stamped: Sequence[Stamped], frame: int = 0) -> bool:
    """Add to the log of a frame; False, and nothing added, when the lease is lost."""
    for one in stamped:
        call = codec.call_of(one.step)
        row = {
            "b_turn": held.turn,
            "b_seq": one.seq,
            "b_frame": frame,
            "b_kind": one.step.kind,
            "b_call_step": call.step if call else None,
            "b_call_index": call.index if call else None,
            "b_body": codec.step_text(one.step),
            "b_chat": held.chat_row,
            "b_fence": held.fence,
        }
        if execute(conn, APPEND, row).rowcount == 0:
            return False
    return True
