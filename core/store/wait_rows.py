"""Questions as they are stored."""

import json
from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, select

from core.domain.wait import Wait
from core.store import codec
from core.store.schema import outbox, waits

FOUND = (
    waits.c.id,
    waits.c.turn,
    waits.c.chat,
    waits.c.key,
    waits.c.question,
    waits.c.deadline,
    waits.c.delivery,
    waits.c.told,
    select(outbox.c.receipt).where(outbox.c.id == waits.c.delivery).scalar_subquery().label("card"),
)

OPEN_OF_CHAT = (
    select(*FOUND).where(waits.c.chat == bindparam("b_chat"), waits.c.closed_at.is_(None)).order_by(waits.c.id)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWait:
    """A wait with what only the store needs of it."""

    wait: Wait
    chat_row: int
    key: str
    delivery: int | None
    told: tuple[str, ...]


def open_of_chat(conn: Connection, chat_row: int) -> list[StoredWait]:
    """All open waits of a chat, oldest first."""
    return [stored_wait(row) for row in conn.execute(OPEN_OF_CHAT, {"b_chat": chat_row})]


def stored_wait(row: Row[*tuple[object, ...]]) -> StoredWait:
    """A row that holds the columns of FOUND."""
    wait = Wait(
        id=row.id,
        turn=row.turn,
        question=codec.question_value(row.question),
        deadline=row.deadline,
        card=codec.receipt_value(row.card).message_id if row.card else None,
    )
    return StoredWait(
        wait=wait, chat_row=row.chat, key=row.key, delivery=row.delivery, told=tuple(json.loads(row.told))
    )
