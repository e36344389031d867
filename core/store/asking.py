"""A call of a turn becomes a question to a person, and its answer the call's result."""

from sqlalchemy import Connection, bindparam, insert, select, update

from core.decide.waits import answered
from core.domain.step import Asked, Stamped
from core.domain.texts import Texts
from core.domain.wait import Answered, Question, WaitState
from core.ports import Claim
from core.store import codec
from core.store.schema import chats, waits
from core.store.turns import append
from core.store.waits import show_next

INSERT_WAIT = insert(waits).values(
    turn=bindparam("turn"),
    chat=bindparam("chat"),
    step=bindparam("step"),
    kind=bindparam("kind"),
    key=bindparam("key"),
    asked=bindparam("asked"),
    question=bindparam("question"),
)

COUNT_WAIT = update(chats).where(chats.c.id == bindparam("b_chat")).values(asks=chats.c.asks + 1)

ANSWERS = select(waits.c.step, waits.c.state, waits.c.question, waits.c.answer).where(
    waits.c.turn == bindparam("b_turn"), waits.c.state.in_((WaitState.ANSWERED.value, WaitState.EXPIRED.value))
)


def ask(conn: Connection, held: Claim, frame: int, asked: Stamped, question: Question, key: str, texts: Texts) -> bool:
    """Log that a call waits, keep its question, and show it unless another one to this person is open.

    False, and nothing written, when the lease is lost.
    """
    assert isinstance(asked.step, Asked)
    if not append(conn, held, [asked], frame):
        return False
    row = {
        "turn": held.turn,
        "chat": held.chat_row,
        "step": asked.seq,
        "kind": question.kind.value,
        "key": key,
        "asked": question.asked.user_id,
        "question": codec.question_text(question),
    }
    conn.execute(INSERT_WAIT, row)
    conn.execute(COUNT_WAIT, {"b_chat": held.chat_row})
    show_next(conn, held.chat_row, texts)
    return True


def answers(conn: Connection, turn: int) -> dict[int, Answered]:
    """How the waits of a turn ended, by the place of their Asked step."""
    rows = conn.execute(ANSWERS, {"b_turn": turn})
    return {
        step: answered(codec.question_value(question), answer, in_time=state == WaitState.ANSWERED.value)
        for step, state, question, answer in rows
    }
