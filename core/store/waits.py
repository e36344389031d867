"""Questions to people: shown one at a time to each person, closed exactly once.

All of it happens under the lock of the chat's row, so no answer can fall between a worker's last look and its park.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, case, insert, null, select, update

from core.decide.waits import question_reply
from core.domain.chat import Principal
from core.domain.message import Reply, says
from core.domain.texts import Texts
from core.domain.turn import TurnEvent, TurnState, after
from core.domain.wait import WaitKind, WaitState
from core.store import codec
from core.store.schema import chats, outbox, turns, waits
from core.store.sql import now_ms
from core.store.wait_rows import StoredWait, open_of_chat

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

TOLD = update(waits).where(waits.c.id == bindparam("b_id")).values(told=bindparam("b_told"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """How a wait ends: its state, what the model reads, who answered, and the card's last words."""

    state: WaitState
    answer: str | None
    by: Principal | None
    card: str


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
        card(conn, stored, says(closed.card), suffix="c", replaces=stored.delivery)
    show_next(conn, stored.chat_row, texts)
    return True


def cancel(conn: Connection, chat_row: int, texts: Texts, turn: int | None = None) -> int:
    """Cancel the questions of a chat, or of one turn of it; their cards say so. The caller counts them off."""
    found = [stored for stored in open_of_chat(conn, chat_row) if turn in (None, stored.wait.turn)]
    for stored in found:
        row = {"b_id": stored.wait.id, "b_state": WaitState.CANCELLED.value, "b_answer": None, "b_by": None}
        conn.execute(CLOSE, row)
        if stored.delivery is not None:
            last = says(texts.say("question_cancelled", question=stored.wait.question.text))
            card(conn, stored, last, suffix="c", replaces=stored.delivery)
    return len(found)


def show_next(conn: Connection, chat_row: int, texts: Texts) -> None:
    """Show the oldest hidden question of everybody who has none on show."""
    found = open_of_chat(conn, chat_row)
    busy = {
        one.wait.question.asked.user_id
        for one in found
        if one.wait.deadline is not None and one.wait.question.kind is WaitKind.QUESTION
    }
    for stored in found:
        question = stored.wait.question
        if question.kind is WaitKind.APPROVAL:
            # Nobody answers it by chance: it may stand beside a question.
            if stored.wait.deadline is not None:
                continue
        elif question.asked.user_id in busy:
            continue
        else:
            busy.add(question.asked.user_id)
        now = conn.execute(NOW).scalar_one()
        deadline = now + question.lasts
        delivery = card(
            conn, stored, question_reply(question, stored.wait.id, deadline, texts), suffix="", replaces=None
        )
        remind = now + question.lasts // 2
        conn.execute(SHOW, {"b_id": stored.wait.id, "b_deadline": deadline, "b_remind": remind, "b_delivery": delivery})


def tell_once(conn: Connection, found: Sequence[StoredWait], user_id: str) -> bool:
    """Note that a bystander was told that we wait for somebody else; False when they were told before."""
    fresh = [stored for stored in found if user_id not in stored.told]
    for stored in fresh:
        conn.execute(TOLD, {"b_id": stored.wait.id, "b_told": json.dumps([*stored.told, user_id])})
    return bool(fresh)


def card(conn: Connection, stored: StoredWait, reply: Reply, *, suffix: str, replaces: int | None) -> int:
    """Write what a person sees of a question; its key is the question's own with a suffix, so it is written once."""
    row = {
        "chat": stored.chat_row,
        "key": stored.key + suffix,
        "kind": "send" if replaces is None else "edit",
        "reply": codec.reply_text(reply),
        "replaces": replaces,
    }
    delivery: int = conn.execute(INSERT_CARD, row).scalar_one()
    return delivery
