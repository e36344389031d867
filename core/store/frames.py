"""Child frames: other agents at work on calls of a turn."""

from collections import defaultdict

from sqlalchemy import Connection, bindparam, insert, select

from core.domain.history import SubFrame
from core.domain.step import CallId, Delegated, Stamped
from core.ports import Claim
from core.store import codec
from core.store.schema import frames, steps
from core.store.turns import append, held_still

INSERT_FRAME = (
    insert(frames)
    .values(
        turn=bindparam("turn"),
        parent=bindparam("parent"),
        call_step=bindparam("call_step"),
        call_index=bindparam("call_index"),
        agent=bindparam("agent"),
        task=bindparam("task"),
        depth=bindparam("depth"),
    )
    .returning(frames.c.id)
)

OF_TURN = select(
    frames.c.id,
    frames.c.parent,
    frames.c.call_step,
    frames.c.call_index,
    frames.c.agent,
    frames.c.task,
    frames.c.depth,
).where(frames.c.turn == bindparam("b_turn"))

STEPS_BELOW = (
    select(steps.c.frame, steps.c.seq, steps.c.body)
    .where(steps.c.turn == bindparam("b_turn"), steps.c.frame != 0)
    .order_by(steps.c.seq)
)


def begin(conn: Connection, held: Claim, seq: int, sub: SubFrame) -> int | None:
    """Make a frame for a call and log it in the call's own frame; None, and nothing written, when the lease is lost."""
    if not held_still(conn, held):
        return None
    row = {
        "turn": held.turn,
        "parent": sub.parent or None,
        "call_step": sub.call.step,
        "call_index": sub.call.index,
        "agent": sub.agent,
        "task": sub.task,
        "depth": sub.depth,
    }
    frame: int = conn.execute(INSERT_FRAME, row).scalar_one()
    append(conn, held, [Stamped(seq=seq, step=Delegated(call=sub.call, frame=frame))], sub.parent)
    return frame


def of_turn(conn: Connection, turn: int) -> list[SubFrame]:
    """All child frames of a turn with their logs, parents first."""
    logs: dict[int, list[Stamped]] = defaultdict(list)
    for frame, seq, body in conn.execute(STEPS_BELOW, {"b_turn": turn}):
        logs[frame].append(Stamped(seq=seq, step=codec.step_value(body)))
    return [
        SubFrame(
            id=row[0],
            parent=row[1] or 0,
            call=CallId(step=row[2], index=row[3]),
            agent=row[4],
            task=row[5],
            depth=row[6],
            steps=tuple(logs[row[0]]),
        )
        for row in sorted(conn.execute(OF_TURN, {"b_turn": turn}), key=lambda row: row[0])
    ]
