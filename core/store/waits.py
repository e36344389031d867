"""Questions to people: asked, shown one at a time to each person, closed exactly once.

All of it happens under the lock of the chat's row, so no answer can fall between a worker's last look and its park.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, case, insert, null, select, update

from core.decide.texts import Texts
from core.decide.waits import question_reply, result_of
from core.domain.chat import ChatKey, Principal
from core.domain.message import Reply, says
from core.domain.step import Asked, CallId, Stamped
from core.domain.turn import TurnEvent, TurnState, after
from core.domain.wait import Question, Wait, WaitState
from core.ports import Claim
from core.store import codec
from core.store.rows import chat_key
from core.store.schema import chats, outbox, turns, waits
from core.store.sql import now_ms
from core.store.turns import append

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

_FOUND = (
    waits.c.id,
    waits.c.turn,
    waits.c.chat,
    waits.c.key,
    waits.c.question,
    waits.c.deadline,
    waits.c.delivery,
    waits.c.told,
)

OPEN_OF_CHAT = (
    select(*_FOUND).where(waits.c.chat == bindparam("b_chat"), waits.c.closed_at.is_(None)).order_by(waits.c.id)
)

SHOW = (
    update(waits)
    .where(waits.c.id == bindparam("b_id"))
    .values(deadline=bindparam("b_deadline"), remind_at=bindparam("b_remind"), delivery=bindparam("b_delivery"))
)

INSERT_CARD = (
    insert(outbox)
    .values(
        chat=bindparam("chat"),
        key=bindparam("key"),
        kind=bindparam("kind"),
        reply=bindparam("reply"),
        replaces=bindparam("replaces"),
        state="new",
        created_at=now_ms(),
    )
    .returning(outbox.c.id)
)

NOW = select(now_ms())

LOCK_CHAT = select(chats.c.id).where(chats.c.id == bindparam("b_chat")).with_for_update()

CLOSE = (
    update(waits)
    .where(waits.c.id == bindparam("b_id"), waits.c.closed_at.is_(None))
    .values(
        state=bindparam("b_state"),
        answer=bindparam("b_answer"),
        answered_by=bindparam("b_by"),
        remind_at=null(),
        closed_at=now_ms(),
    )
)

# Only a parked turn is queued again; one that still runs finds the answer when it wants to park.
UNPARK = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"), turns.c.state == TurnState.WAITING.value)
    .values(state=after(TurnState.WAITING, TurnEvent.ANSWERED).value)
)

SIGNAL = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        asks=chats.c.asks - 1,
        signals=chats.c.signals + 1,
        ready=case((bindparam("b_unparked") == 1, bindparam("b_turn")), else_=chats.c.ready),
    )
)

ANSWERS = select(waits.c.call_step, waits.c.call_index, waits.c.answer).where(
    waits.c.turn == bindparam("b_turn"), waits.c.state.in_((WaitState.ANSWERED.value, WaitState.EXPIRED.value))
)

DUE = (
    select(*_FOUND, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .join(chats, chats.c.id == waits.c.chat)
    .where(waits.c.closed_at.is_(None), waits.c.deadline <= now_ms())
    .limit(100)
)

REMIND = (
    select(*_FOUND, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .join(chats, chats.c.id == waits.c.chat)
    .where(waits.c.remind_at.is_not(None), waits.c.remind_at <= now_ms())
    .limit(100)
)

REMINDED = update(waits).where(waits.c.id == bindparam("b_id")).values(remind_at=null())

TOLD = update(waits).where(waits.c.id == bindparam("b_id")).values(told=bindparam("b_told"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWait:
    """A wait with what only the store needs of it."""

    wait: Wait
    chat_row: int
    key: str
    delivery: int | None
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """How a wait ends: its state, what the model reads, who answered, and the card's last words."""

    state: WaitState
    answer: str | None
    by: Principal | None
    card: str


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


def open_of_chat(conn: Connection, chat_row: int) -> list[StoredWait]:
    """All open waits of a chat, oldest first."""
    return [_stored(row) for row in conn.execute(OPEN_OF_CHAT, {"b_chat": chat_row})]


def close(conn: Connection, stored: StoredWait, closed: Closed, texts: Texts) -> bool:
    """End a wait, wake its turn, change its card, show the next one; False when it was closed already."""
    conn.execute(LOCK_CHAT, {"b_chat": stored.chat_row})
    row = {
        "b_id": stored.wait.id,
        "b_state": closed.state.value,
        "b_answer": closed.answer,
        "b_by": closed.by.user_id if closed.by else None,
    }
    if conn.execute(CLOSE, row).rowcount == 0:
        return False
    turn = stored.wait.turn
    unparked = conn.execute(UNPARK, {"b_turn": turn}).rowcount
    conn.execute(SIGNAL, {"b_chat": stored.chat_row, "b_turn": turn, "b_unparked": unparked})
    if stored.delivery is not None:
        _card(conn, stored, says(closed.card), suffix="c", replaces=stored.delivery)
    show_next(conn, stored.chat_row, texts)
    return True


def cancel(conn: Connection, chat_row: int, texts: Texts, turn: int | None = None) -> int:
    """Cancel the questions of a chat, or of one turn of it; their cards say so. The caller counts them off."""
    found = [stored for stored in open_of_chat(conn, chat_row) if turn in (None, stored.wait.turn)]
    for stored in found:
        row = {"b_id": stored.wait.id, "b_state": WaitState.CANCELLED.value, "b_answer": None, "b_by": None}
        conn.execute(CLOSE, row)
        if stored.delivery is not None:
            card = says(texts.say("question_cancelled", question=stored.wait.question.text))
            _card(conn, stored, card, suffix="c", replaces=stored.delivery)
    return len(found)


def show_next(conn: Connection, chat_row: int, texts: Texts) -> None:
    """Show the oldest hidden question of everybody who has none on show."""
    found = open_of_chat(conn, chat_row)
    busy = {one.wait.question.asked.user_id for one in found if one.wait.deadline is not None}
    for stored in found:
        question = stored.wait.question
        if question.asked.user_id in busy:
            continue
        busy.add(question.asked.user_id)
        now = conn.execute(NOW).scalar_one()
        deadline = now + question.lasts
        delivery = _card(conn, stored, question_reply(question, deadline, texts), suffix="", replaces=None)
        remind = now + question.lasts // 2
        conn.execute(SHOW, {"b_id": stored.wait.id, "b_deadline": deadline, "b_remind": remind, "b_delivery": delivery})


def answers(conn: Connection, turn: int) -> dict[CallId, str]:
    """What people said to the questions of a turn, as the model reads it."""
    rows = conn.execute(ANSWERS, {"b_turn": turn})
    return {CallId(step=row[0], index=row[1]): result_of(row[2]) for row in rows}


def tick(conn: Connection, texts: Texts) -> list[tuple[int, ChatKey]]:
    """Expire what is due and remind where half the time is over; gives the chats that have something to say."""
    touched: list[tuple[int, ChatKey]] = []
    for row in conn.execute(DUE).all():
        stored = _stored(row)
        question = stored.wait.question
        name = "question_expired" if question.default is not None else "question_expired_bare"
        card = texts.say(name, question=question.text, default=question.default or "")
        ended = Closed(state=WaitState.EXPIRED, answer=question.default, by=None, card=card)
        if close(conn, stored, ended, texts):
            touched.append((stored.chat_row, chat_key(row.channel, row.account, row.chat_id, row.thread_id)))
    for row in conn.execute(REMIND).all():
        stored = _stored(row)
        conn.execute(REMINDED, {"b_id": stored.wait.id})
        reminder = says(texts.say("question_reminder", question=stored.wait.question.text))
        _card(conn, stored, reminder, suffix="r", replaces=None)
        touched.append((stored.chat_row, chat_key(row.channel, row.account, row.chat_id, row.thread_id)))
    return touched


def anything_due(conn: Connection) -> bool:
    """Whether `tick` would do anything; a read, so that an idle gateway writes nothing."""
    return conn.execute(DUE).first() is not None or conn.execute(REMIND).first() is not None


def tell_once(conn: Connection, found: Sequence[StoredWait], user_id: str) -> bool:
    """Note that a bystander was told that we wait for somebody else; False when they were told before."""
    fresh = [stored for stored in found if user_id not in stored.told]
    for stored in fresh:
        conn.execute(TOLD, {"b_id": stored.wait.id, "b_told": json.dumps([*stored.told, user_id])})
    return bool(fresh)


def _card(conn: Connection, stored: StoredWait, reply: Reply, *, suffix: str, replaces: int | None) -> int:
    row = {
        "chat": stored.chat_row,
        "key": stored.key + suffix,
        "kind": "send" if replaces is None else "edit",
        "reply": codec.reply_text(reply),
        "replaces": replaces,
    }
    delivery: int = conn.execute(INSERT_CARD, row).scalar_one()
    return delivery


def _stored(row: Row[*tuple[object, ...]]) -> StoredWait:
    wait = Wait(id=row.id, turn=row.turn, question=codec.question_value(row.question), deadline=row.deadline)
    return StoredWait(
        wait=wait, chat_row=row.chat, key=row.key, delivery=row.delivery, told=tuple(json.loads(row.told))
    )
