"""What an operator does to deliveries by hand."""

from sqlalchemy import Connection, bindparam, null, select, update

from core.domain.delivery import DeliveryState
from core.store import dying
from core.store.schema import outbox
from core.store.sql import now_ms

PLACE = select(outbox.c.chat, outbox.c.lost).where(outbox.c.id == bindparam("b_id"))

RETRY = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.state.in_((DeliveryState.DEAD.value, DeliveryState.NEW.value)))
    .values(
        state=DeliveryState.NEW.value,
        closed_at=null(),
        error=null(),
        attempt=0,
        repeat=0,
        not_before=0,
        placed=null(),
        lost=null(),
        created_at=now_ms(),  # given up 24 hours after this
    )
)

DROPPED = "dropped by the operator"


def retry(conn: Connection, delivery: int) -> bool:
    """Send a dead delivery after all, or a waiting one now; False when it is neither."""
    found = _locked(conn, delivery)
    if found is None or not conn.execute(RETRY, {"b_id": delivery}).rowcount:
        return False
    chat_row, lost = found
    conn.execute(dying.COUNT, {"b_chat": chat_row, "b_lost": -int(lost == 0)})
    return True


def drop(conn: Connection, delivery: int) -> bool:
    """Never send an open delivery; False when it is not open. It stays listed as dead."""
    found = _locked(conn, delivery)
    return found is not None and dying.dead(conn, delivery, found[0], DROPPED, False)


def _locked(conn: Connection, delivery: int) -> tuple[int, int | None] | None:
    """The chat of a delivery and whether it is lost, with the chat locked."""
    row = conn.execute(PLACE, {"b_id": delivery}).one_or_none()
    if row is None:
        return None
    conn.execute(dying.LOCK_CHAT, {"b_chat": row.chat})
    chat_row, lost = conn.execute(PLACE, {"b_id": delivery}).one()
    return chat_row, lost
