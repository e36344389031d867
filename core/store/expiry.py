"""Questions whose time runs out."""

from sqlalchemy import Connection, bindparam, null, select, update

from core.domain.chat import ChatKey
from core.domain.message import says
from core.domain.texts import Texts
from core.domain.wait import WaitState
from core.store.rows import chat_key
from core.store.schema import chats, waits
from core.store.sql import now_ms
from core.store.wait_rows import FOUND, stored_wait
from core.store.waits import Closed, card, close

DUE = (
    select(*FOUND, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .join(chats, chats.c.id == waits.c.chat)
    .where(waits.c.closed_at.is_(None), waits.c.deadline <= now_ms())
    .limit(100)
)

REMIND = (
    select(*FOUND, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .join(chats, chats.c.id == waits.c.chat)
    .where(waits.c.remind_at.is_not(None), waits.c.remind_at <= now_ms())
    .limit(100)
)

REMINDED = update(waits).where(waits.c.id == bindparam("b_id")).values(remind_at=null())


def tick(conn: Connection, texts: Texts) -> list[tuple[int, ChatKey]]:
    """Expire what is due and remind where half the time is over; gives the chats that have something to say."""
    touched: list[tuple[int, ChatKey]] = []
    for row in conn.execute(DUE).all():
        stored = stored_wait(row)
        question = stored.wait.question
        name = "question_expired" if question.default is not None else "question_expired_bare"
        last = texts.say(name, question=question.text, default=question.default or "")
        ended = Closed(state=WaitState.EXPIRED, answer=question.default, by=None, card=last)
        if close(conn, stored, ended, texts):
            touched.append((stored.chat_row, chat_key(row.channel, row.account, row.chat_id, row.thread_id)))
    for row in conn.execute(REMIND).all():
        stored = stored_wait(row)
        conn.execute(REMINDED, {"b_id": stored.wait.id})
        reminder = says(texts.say("question_reminder", question=stored.wait.question.text))
        card(conn, stored, reminder, suffix="r", replaces=None)
        touched.append((stored.chat_row, chat_key(row.channel, row.account, row.chat_id, row.thread_id)))
    return touched


def anything_due(conn: Connection) -> bool:
    """Whether `tick` would do anything; a read, so that an idle gateway writes nothing."""
    return conn.execute(DUE).first() is not None or conn.execute(REMIND).first() is not None
