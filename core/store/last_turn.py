"""The newest turn of a chat, for whoever asks why it went as it did."""

from sqlalchemy import Connection, bindparam, literal_column, select

from core.domain.step import ModelAnswered
from core.domain.turn import TurnState
from core.ports import LastTurn
from core.store import codec
from core.store.schema import chats, inbound, steps, turns

LAST_TURN = (
    select(turns.c.id, turns.c.agent, turns.c.state, turns.c.cause, inbound.c.choice)
    .select_from(chats)
    .join(turns, (turns.c.chat == chats.c.id) & (turns.c.session == chats.c.session))
    .join(inbound, inbound.c.id == turns.c.id)
    .where(chats.c.id == bindparam("b_chat"), turns.c.undone == 0)
    .order_by(turns.c.id.desc())
    .limit(1)
)

LAST_ANSWER = (
    select(steps.c.body)
    .where(steps.c.turn == bindparam("b_turn"), steps.c.frame == 0, steps.c.kind == literal_column("'model_answered'"))
    .order_by(steps.c.seq.desc())
    .limit(1)
)


def last_turn(conn: Connection, chat_row: int) -> LastTurn | None:
    """None while nothing can be seen of the current session."""
    row = conn.execute(LAST_TURN, {"b_chat": chat_row}).one_or_none()
    if row is None:
        return None
    body = conn.execute(LAST_ANSWER, {"b_turn": row.id}).scalar()
    step = codec.step_value(body) if body else None
    return LastTurn(
        turn=row.id,
        agent=row.agent,
        state=TurnState(row.state),
        cause=row.cause,
        models=codec.choice_value(row.choice).names if row.choice else (),
        answered=step.model if isinstance(step, ModelAnswered) else None,
    )
