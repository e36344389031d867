"""Deliveries that change their form on the way: a placeholder that becomes the text, markup that becomes plain."""

from sqlalchemy import Connection, and_, bindparam, case, null, update

from core.domain.delivery import Delivery, DeliveryState, Receipt
from core.ports import Anew
from core.store import codec
from core.store.outbox import keep_parts
from core.store.schema import outbox

PLACED = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(placed=bindparam("b_receipt"))
)

UNPLACED = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(
        state=DeliveryState.NEW.value,
        # A placeholder belongs to its part alone; the message that the whole reply stands for goes away after it.
        kind=case((outbox.c.placed.is_(None), "send"), else_=outbox.c.kind),
        replaces=case((and_(outbox.c.placed.is_(None), bindparam("b_clears") == 0), null()), else_=outbox.c.replaces),
        placed=None,
        not_before=0,
    )
)

FALL_BACK = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(
        state=DeliveryState.NEW.value,
        plain=1,
        part=bindparam("b_part"),
        attempt=0,
        not_before=0,
        error=bindparam("b_error"),
    )
)


def placed(conn: Connection, delivery: Delivery, receipt: Receipt) -> None:
    """The placeholder of the part in flight is out."""
    conn.execute(PLACED, {"b_id": delivery.id, "b_receipt": codec.receipt_text(receipt)})


def unplaced(conn: Connection, delivery: Delivery, clears: bool) -> None:
    """The part in flight goes out as a new message."""
    conn.execute(UNPLACED, {"b_id": delivery.id, "b_clears": int(clears)})


def fall_back(conn: Connection, delivery: Delivery, anew: Anew) -> None:
    """What is left of the reply goes out as literal text. That it does so is never forgotten: it happens once."""
    conn.execute(FALL_BACK, {"b_id": delivery.id, "b_part": anew.part, "b_error": anew.error})
    keep_parts(conn, delivery, anew.parts if len(anew.parts) > 1 else ())
