"""Commands between the commit that took them and the one that closes them."""

from sqlalchemy import Connection, literal_column, select

from core.domain.chat import Principal
from core.domain.command import CommandCall
from core.ports import PendingCommand
from core.store.rows import chat_key
from core.store.schema import chats, inbound

PENDING = (
    select(
        inbound.c.id,
        inbound.c.chat,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.command,
        inbound.c.arguments,
    )
    .join(chats, chats.c.id == inbound.c.chat)
    .where(literal_column("inbound.pending = 1"))
    .order_by(inbound.c.id)
    .limit(100)
)


def pending(conn: Connection) -> list[PendingCommand]:
    """Commands that wait for their performer, oldest first."""
    return [
        PendingCommand(
            inbound=row[0],
            chat_row=row[1],
            chat=chat_key(row[2], row[3], row[4], row[5]),
            sender=Principal(channel=row[2], account=row[3], user_id=row[6], name=row[7]),
            call=CommandCall(name=row[8] or "", arguments=row[9] or ""),
        )
        for row in conn.execute(PENDING)
    ]
