"""Short words to people: those that answer one event, at most one each, and those of what did not reach a chat."""

from dataclasses import replace

from sqlalchemy import Connection, bindparam, insert, select, update

from core.domain.message import says
from core.domain.texts import Texts
from core.store import codec
from core.store.schema import chats, outbox
from core.store.sql import now_ms

INSERT_NOTICE = insert(outbox).values(
    chat=bindparam("chat"),
    inbound=bindparam("inbound"),
    key=bindparam("key"),
    reply=bindparam("reply"),
    state="new",
    created_at=now_ms(),
)

NEWEST_LOST = (
    select(chats.c.lost, outbox.c.turn, outbox.c.reply)
    .join(chats, chats.c.id == outbox.c.chat)
    .where(outbox.c.chat == bindparam("b_chat"), outbox.c.lost == 0)
    .order_by(outbox.c.id.desc())
    .limit(1)
)

INSERT_WORD = (
    insert(outbox)
    .values(
        chat=bindparam("chat"),
        turn=bindparam("turn"),
        key=bindparam("key"),
        kind=bindparam("kind"),
        reply=bindparam("reply"),
        state="new",
        created_at=now_ms(),
    )
    .returning(outbox.c.id)
)

TOLD = update(outbox).where(outbox.c.chat == bindparam("b_chat"), outbox.c.lost == 0).values(lost=bindparam("b_notice"))

NONE_LOST = update(chats).where(chats.c.id == bindparam("b_chat")).values(lost=0, epoch=chats.c.epoch + 1)


def notice(conn: Connection, chat_row: int, inbound_id: int, text: str, key: str, *, answers: str) -> None:
    """Written in the commit of the event that it answers; `answers` is that event's key."""
    reply = codec.reply_text(replace(says(text), answers=answers))
    conn.execute(INSERT_NOTICE, {"chat": chat_row, "inbound": inbound_id, "key": key, "reply": reply})


def undelivered(conn: Connection, chat_row: int, texts: Texts, key: str) -> None:
    """With the chat locked: how many replies did not arrive, and the newest of them once more; nothing when all did.

    Once for each lost reply: a second loss of what goes out here is listed for the operator and told to nobody.
    """
    newest = conn.execute(NEWEST_LOST, {"b_chat": chat_row}).one_or_none()
    if newest is None:
        return
    count, turn, reply = newest
    word = codec.reply_text(says(texts.say("undelivered", n=count)))
    row = {"chat": chat_row, "turn": None, "key": f"~u{key[2:]}", "kind": "undelivered", "reply": word}
    notice = conn.execute(INSERT_WORD, row).scalar_one()
    row = {"chat": chat_row, "turn": turn, "key": f"~a{key[2:]}", "kind": "again", "reply": reply}
    conn.execute(INSERT_WORD, row)
    conn.execute(TOLD, {"b_chat": chat_row, "b_notice": notice})
    conn.execute(NONE_LOST, {"b_chat": chat_row})
