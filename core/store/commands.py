"""Commands between the commit that took them and the one that closes them."""

from dataclasses import replace

from sqlalchemy import Connection, bindparam, literal_column, select, update
from sqlalchemy.sql import Executable

from core.domain.chat import Principal, Role
from core.domain.command import CommandCall
from core.domain.delivery import DeliveryState
from core.domain.message import Reply
from core.ports import PendingCommand
from core.store import codec
from core.store.rows import chat_key
from core.store.schema import chats, inbound, outbox
from core.store.sql import PerDialect, UpsertInsert, now_ms

PENDING = (
    select(
        inbound.c.id,
        inbound.c.event_key,
        inbound.c.chat,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.command,
        inbound.c.arguments,
        inbound.c.role,
    )
    .join(chats, chats.c.id == inbound.c.chat)
    .where(literal_column("inbound.pending = 1"))
    .order_by(inbound.c.id)
    .limit(100)
)


def _answer_once(make: UpsertInsert) -> Executable:
    row = make.values(
        chat=bindparam("chat"),
        inbound=bindparam("inbound"),
        key=bindparam("key"),
        reply=bindparam("reply"),
        state=DeliveryState.NEW.value,
        created_at=now_ms(),
    )
    return row.on_conflict_do_nothing(index_elements=["inbound"])


ANSWER_COMMAND = PerDialect(outbox, _answer_once)

PERFORMED = update(inbound).where(inbound.c.id == bindparam("b_inbound")).values(pending=0)


def pending(conn: Connection) -> list[PendingCommand]:
    """Commands that wait for their performer, oldest first."""
    return [
        PendingCommand(
            inbound=row[0],
            event_key=row[1],
            chat_row=row[2],
            chat=chat_key(row[3], row[4], row[5], row[6]),
            sender=Principal(channel=row[3], account=row[4], user_id=row[7], name=row[8]),
            call=CommandCall(name=row[9] or "", arguments=row[10] or ""),
            role=Role(row[11]) if row[11] else None,
        )
        for row in conn.execute(PENDING)
    ]


def answer(conn: Connection, command: PendingCommand, reply: Reply, key: str) -> None:
    """Answer a command and close it. Unique by inbound, so a crash repeats it harmlessly."""
    direct = codec.reply_text(replace(reply, answers=command.event_key))
    row = {"chat": command.chat_row, "inbound": command.inbound, "key": key, "reply": direct}
    conn.execute(ANSWER_COMMAND.on(conn), row)
    conn.execute(PERFORMED, {"b_inbound": command.inbound})
