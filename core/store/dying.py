"""A delivery is given up. A reply of a turn that never arrived is counted: its person is told when the chat works."""

from sqlalchemy import Connection, and_, bindparam, case, null, select, update

from core.domain.delivery import DeliveryState
from core.store.schema import chats, outbox
from core.store.sql import now_ms

LOCK_CHAT = select(chats.c.id).where(chats.c.id == bindparam("b_chat")).with_for_update()

DEAD = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(
        state=DeliveryState.DEAD.value,
        error=bindparam("b_error"),
        closed_at=now_ms(),
        lost=case(
            (and_(bindparam("b_lost") == 1, outbox.c.turn.is_not(None), outbox.c.kind.in_(("send", "edit"))), 0),
            else_=null(),
        ),
    )
    .returning(outbox.c.kind, outbox.c.turn, outbox.c.lost)
)

# The history of the chat reads otherwise from now on.
COUNT = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(lost=chats.c.lost + bindparam("b_lost"), epoch=chats.c.epoch + 1)
)

UNTOLD = (
    update(outbox).where(outbox.c.chat == bindparam("b_chat"), outbox.c.lost == bindparam("b_notice")).values(lost=0)
)

DROP_AGAIN = (
    update(outbox)
    .where(outbox.c.chat == bindparam("b_chat"), outbox.c.closed_at.is_(None), outbox.c.kind == "again")
    .values(state=DeliveryState.DEAD.value, error=bindparam("b_error"), closed_at=now_ms())
)


def dead(conn: Connection, delivery: int, chat_row: int, error: str, lost: bool) -> bool:
    """Give a delivery up; it stays listed with its reason. False when it had ended already.

    `lost`: the chat takes nothing at present, so the person is told when it does again.
    """
    conn.execute(LOCK_CHAT, {"b_chat": chat_row})
    row = conn.execute(DEAD, {"b_id": delivery, "b_error": error, "b_lost": int(lost)}).one_or_none()
    if row is None:
        return False
    if row.kind == "undelivered" and lost:
        _not_told(conn, delivery, chat_row, error)
    elif row.turn is not None:
        conn.execute(COUNT, {"b_chat": chat_row, "b_lost": int(row.lost is not None)})
    return True


def _not_told(conn: Connection, notice: int, chat_row: int, error: str) -> None:
    """The notice of lost replies is lost itself: they count as before, and what was to follow it stays here too."""
    untold = conn.execute(UNTOLD, {"b_chat": chat_row, "b_notice": notice}).rowcount
    conn.execute(DROP_AGAIN, {"b_chat": chat_row, "b_error": error})
    conn.execute(COUNT, {"b_chat": chat_row, "b_lost": untold})
