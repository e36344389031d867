"""T3 to T-end: the log of a turn, and its last commit. Every write is checked against the fence."""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, func, insert, literal, null, select, union_all
from sqlalchemy.sql import Executable

from core.domain.chat import Principal
from core.domain.history import Exchange, Said
from core.domain.step import Stamped
from core.ports import Claim
from core.store import codec
from core.store.schema import chats, inbound, steps, turns
from core.store.sql import execute, now_ms

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
    rows = execute(conn, HISTORY, {"b_chat": held.chat_row, "b_turn": held.turn, "b_since": max(since, held.cut)})
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
        if execute(conn, APPEND, row).rowcount == 0:
            return False
    return True
