"""Short words to a person that answer one event, at most one each."""

from sqlalchemy import Connection, bindparam, insert

from core.domain.message import says
from core.store import codec
from core.store.schema import outbox
from core.store.sql import now_ms

INSERT_NOTICE = insert(outbox).values(
    chat=bindparam("chat"),
    inbound=bindparam("inbound"),
    key=bindparam("key"),
    reply=bindparam("reply"),
    state="new",
    created_at=now_ms(),
)


def notice(conn: Connection, chat_row: int, inbound_id: int, text: str, key: str) -> None:
    """Written in the commit of the event that it answers."""
    reply = codec.reply_text(says(text))
    conn.execute(INSERT_NOTICE, {"chat": chat_row, "inbound": inbound_id, "key": key, "reply": reply})
