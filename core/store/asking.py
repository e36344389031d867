"""A call of a turn becomes a question to a person, and its answer the call's result."""

from sqlalchemy import Connection, bindparam, insert, select, update

from core.decide.waits import result_of
from core.domain.step import Asked, CallId, Stamped
from core.domain.texts import Texts
from core.domain.wait import Question, WaitState
from core.ports import Claim
from core.store import codec
from core.store.schema import chats, waits
from core.store.turns import append
from core.store.waits import show_next

INSERT_WAIT = insert(waits).values(
    turn=bindparam("turn"),
    chat=bindparam("chat"),
    call_step=bindparam("call_step"),
    call_index=bindparam("call_index"),
    kind="question",
    key=bindparam("key"),
    asked=bindparam("asked"),
    question=bindparam("question"),
)

COUNT_WAIT = update(chats).where(chats.c.id == bindparam("b_chat")).values(asks=chats.c.asks + 1)

ANSWERS = select(waits.c.call_step, waits.c.call_index, waits.c.answer).where(
    waits.c.turn == bindparam("b_turn"), waits.c.state.in_((WaitState.ANSWERED.value, WaitState.EXPIRED.value))
)


def ask(conn: Connection, held: Claim, seq: int, question: Question, key: str, texts: Texts) -> bool:
    """Log that a call waits, keep its question, and show it unless another one to this person is open.

    False, and nothing written, when the lease is lost.
    """
    if not append(conn, held, [Stamped(seq=seq, step=Asked(call=question.call))]):
        return False
    row = {
        "turn": held.turn,
        "chat": held.chat_row,
        "call_step": question.call.step,
        "call_index": question.call.index,
        "key": key,
        "asked": question.asked.user_id,
        "question": codec.question_text(question),
    }
    conn.execute(INSERT_WAIT, row)
    conn.execute(COUNT_WAIT, {"b_chat": held.chat_row})
    show_next(conn, held.chat_row, texts)
    return True


def answers(conn: Connection, turn: int) -> dict[CallId, str]:
    """What people said to the questions of a turn, as the model reads it."""
    rows = conn.execute(ANSWERS, {"b_turn": turn})
    return {CallId(step=row[0], index=row[1]): result_of(row[2]) for row in rows}
