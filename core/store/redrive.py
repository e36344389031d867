"""What an operator does to deliveries by hand."""

from sqlalchemy import Connection, bindparam, null, update

from core.domain.delivery import DeliveryState
from core.store.schema import outbox
from core.store.sql import now_ms

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
        created_at=now_ms(),  # given up 24 hours after this
    )
)

DROP = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(state=DeliveryState.DEAD.value, closed_at=now_ms(), error="dropped by the operator")
)


def retry(conn: Connection, delivery: int) -> bool:
    """Send a dead delivery after all, or a waiting one now; False when it is neither."""
    return conn.execute(RETRY, {"b_id": delivery}).rowcount > 0


def drop(conn: Connection, delivery: int) -> bool:
    """Never send an open delivery; False when it is not open. It stays listed as dead."""
    return conn.execute(DROP, {"b_id": delivery}).rowcount > 0
