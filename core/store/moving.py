"""A chat that its platform knows by another id from now on."""

from sqlalchemy import Connection, bindparam, delete, select, update

from core.domain.chat import ChatKey
from core.domain.text import well_formed
from core.store.schema import chats, grants, inbound, outbox, turns, waits

ROWS = select(chats.c.id, chats.c.thread_id, chats.c.live).where(
    chats.c.channel == bindparam("b_channel"),
    chats.c.account == bindparam("b_account"),
    chats.c.chat_id == bindparam("b_chat_id"),
)

RENAME = update(chats).where(chats.c.id == bindparam("b_chat")).values(chat_id=bindparam("b_to"))

# What was said under the new id before anybody told of the move belongs to the same conversation.
TAKE_OVER = tuple(
    update(table).where(table.c.chat == bindparam("b_from")).values(chat=bindparam("b_chat"))
    for table in (inbound, turns, waits, outbox)
)
GRANTS_GO = delete(grants).where(grants.c.chat == bindparam("b_from"))
ROW_GOES = delete(chats).where(chats.c.id == bindparam("b_from"))


def move(conn: Connection, chat: ChatKey, to: str) -> None:
    """Every thread of the chat goes on under the new id, with all that hangs on its row.

    What has been said under that id already joins it, unless somebody is at work there: then both stay as they are.
    """
    place = {"b_channel": chat.channel, "b_account": chat.account}
    new = well_formed(to)
    there = {row.thread_id: row for row in conn.execute(ROWS, {**place, "b_chat_id": new})}
    for row in conn.execute(ROWS, {**place, "b_chat_id": well_formed(chat.chat_id)}).all():
        other = there.get(row.thread_id)
        if other is not None and other.live:
            continue
        if other is not None:
            _join(conn, row.id, other.id)
        conn.execute(RENAME, {"b_chat": row.id, "b_to": new})


def _join(conn: Connection, chat_row: int, other: int) -> None:
    for statement in TAKE_OVER:
        conn.execute(statement, {"b_from": other, "b_chat": chat_row})
    conn.execute(GRANTS_GO, {"b_from": other})
    conn.execute(ROW_GOES, {"b_from": other})
