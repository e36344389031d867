"""What was said in a group before the message that a turn is begun for."""

from sqlalchemy import Connection, bindparam, func, literal_column, select, update

from core.store.schema import inbound, turns

READ_ALONG = 20

_newest = (
    select(inbound.c.id)
    .where(
        inbound.c.chat == bindparam("b_chat"),
        literal_column("inbound.lane = 'context'"),
        inbound.c.turn.is_(None),
        inbound.c.id
        > select(func.coalesce(func.max(turns.c.id), 0)).where(turns.c.chat == bindparam("b_chat")).scalar_subquery(),
    )
    .order_by(inbound.c.id.desc())
    .limit(READ_ALONG)
)

JOIN = update(inbound).where(inbound.c.id.in_(_newest.scalar_subquery())).values(turn=bindparam("b_turn"))


def join(conn: Connection, chat_row: int, turn: int) -> None:
    """Before the turn has its row: the newest 20 messages since the last turn are read along with it."""
    conn.execute(JOIN, {"b_chat": chat_row, "b_turn": turn})
