"""Stop 8: deliveries on their way out, one open delivery a chat at a time, in the order of their ids."""

from collections.abc import Mapping, Sequence

from sqlalchemy import (
    Connection,
    Text,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.sql import Executable

from core.domain.chat import ChatKey
from core.domain.delivery import Delivery, DeliveryState, Receipt
from core.domain.text import well_formed
from core.ports import Lane, Retry
from core.store import codec
from core.store.rows import chat_key
from core.store.schema import chats, cursors, outbox, outbox_parts
from core.store.sql import PerDialect, UpsertInsert, execute, now_ms

# The scope of the cursor that says until when a platform wants no call of an account.
FLOOR = "calls"

DUE = (
    select(outbox.c.chat)
    .join(chats, chats.c.id == outbox.c.chat)
    .where(
        # The oldest of each chat only: what has to wait holds up all behind it.
        outbox.c.id.in_(select(func.min(outbox.c.id)).where(outbox.c.closed_at.is_(None)).group_by(outbox.c.chat)),
        outbox.c.state != DeliveryState.SENDING.value,
        outbox.c.not_before <= now_ms(),
        # Joined with '' so that the search begins at the few open deliveries, not at all chats of the account.
        chats.c.channel.concat(literal_column("''")) == bindparam("b_channel"),
        chats.c.account.concat(literal_column("''")) == bindparam("b_account"),
        or_(bindparam("b_chat_id", type_=Text()).is_(None), chats.c.chat_id == bindparam("b_chat_id")),
    )
    .limit(1_000)
)

_replaced = outbox.alias("replaced")
# A new message that names another one stands for it, and the other goes away.
_in_place = outbox.c.kind != "send"

OLDEST = (
    select(
        outbox.c.id,
        outbox.c.turn,
        outbox.c.key,
        outbox.c.reply,
        outbox.c.state,
        outbox.c.part,
        outbox.c.attempt,
        (outbox.c.not_before <= now_ms()).label("due"),
        outbox.c.created_at,
        outbox.c.repeat,
        outbox.c.plain,
        # What takes the place of a message is its first part; the others are messages of their own.
        func.coalesce(outbox.c.placed, case((and_(outbox.c.part == 0, _in_place), _replaced.c.receipt))).label("edits"),
        case((~_in_place, _replaced.c.receipt)).label("removes"),
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
    )
    .join(chats, chats.c.id == outbox.c.chat)
    .outerjoin(_replaced, _replaced.c.id == outbox.c.replaces)
    .where(outbox.c.chat == bindparam("b_chat"), outbox.c.closed_at.is_(None))
    .order_by(outbox.c.id)
    .limit(1)
    .with_for_update(of=outbox)
)

MARK_SENDING = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"))
    .values(state=DeliveryState.SENDING.value, attempt=outbox.c.attempt + 1)
)

MARK_RESUMED = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"))
    .values(
        state=DeliveryState.SENDING.value,
        attempt=outbox.c.attempt + 1,
        repeat=bindparam("b_repeat"),
        repeats=outbox.c.repeats + case((bindparam("b_repeat") > outbox.c.repeat, 1), else_=0),
    )
)

SENT = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(state=DeliveryState.SENT.value, receipt=bindparam("b_receipt"), error=None, closed_at=now_ms())
)

NEXT_PART = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(
        state=bindparam("b_state"),
        part=bindparam("b_part"),
        attempt=bindparam("b_attempt"),
        not_before=0,
        repeat=0,
        placed=None,
        receipt=bindparam("b_receipt"),
        error=None,
    )
)

PART_SENT = (
    update(outbox_parts)
    .where(outbox_parts.c.delivery == bindparam("b_id"), outbox_parts.c.n == bindparam("b_n"))
    .values(receipt=bindparam("b_receipt"))
)

RETRY = (
    update(outbox)
    .where(outbox.c.id == bindparam("b_id"), outbox.c.closed_at.is_(None))
    .values(
        state=bindparam("b_state"),
        not_before=bindparam("b_not_before"),
        repeat=bindparam("b_repeat"),
        error=bindparam("b_error"),
    )
)

PARTS = select(outbox_parts.c.payload).where(outbox_parts.c.delivery == bindparam("b_id")).order_by(outbox_parts.c.n)

_of_lane = outbox.c.chat.in_(
    select(chats.c.id).where(
        chats.c.channel == bindparam("b_channel"),
        chats.c.account == bindparam("b_account"),
        or_(bindparam("b_chat_id", type_=Text()).is_(None), chats.c.chat_id == bindparam("b_chat_id")),
    )
)

UNSETTLE = (
    update(outbox)
    .where(
        outbox.c.closed_at.is_(None),
        outbox.c.state == DeliveryState.SENDING.value,
        _of_lane,
    )
    .values(state=DeliveryState.UNSURE.value)
)

DUE_NOW = update(outbox).where(outbox.c.closed_at.is_(None), outbox.c.not_before > 0, _of_lane).values(not_before=0)


FORGET_PARTS = delete(outbox_parts).where(outbox_parts.c.delivery == bindparam("b_id"))

KEEP_PART = insert(outbox_parts).values(delivery=bindparam("delivery"), n=bindparam("n"), payload=bindparam("payload"))

PLACE = select(chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id).where(
    chats.c.id == bindparam("b_chat")
)

FLOOR_OF = select(cursors.c.value).where(
    cursors.c.channel == bindparam("b_channel"),
    cursors.c.account == bindparam("b_account"),
    cursors.c.scope == FLOOR,
)


def _set_floor(make: UpsertInsert) -> Executable:
    row = make.values(
        channel=bindparam("channel"),
        account=bindparam("account"),
        scope=FLOOR,
        value=bindparam("value"),
        moved_at=now_ms(),
    )
    changed = {"value": row.excluded.value, "moved_at": row.excluded.moved_at}
    return row.on_conflict_do_update(index_elements=["channel", "account", "scope"], set_=changed)


SET_FLOOR = PerDialect(cursors, _set_floor)


def due(conn: Connection, lane: Lane) -> list[int]:
    """The chats of a lane that have something to send now."""
    return list(conn.execute(DUE, _place(lane)).scalars())


def next_delivery(conn: Connection, chat_row: int) -> Delivery | None:
    """Mark the oldest open delivery of the chat as sending. An unsure one comes as it is, to be settled first.

    None when there is none, when it has to wait, or when somebody is sending it: nothing overtakes it.
    """
    row = execute(conn, OLDEST, {"b_chat": chat_row}).one_or_none()
    if row is None or not row.due or row.state == DeliveryState.SENDING.value:
        return None
    unsure = row.state == DeliveryState.UNSURE.value
    if not unsure:
        execute(conn, MARK_SENDING, {"b_id": row.id})
    return Delivery(
        id=row.id,
        chat_row=chat_row,
        chat=chat_key(row.channel, row.account, row.chat_id, row.thread_id),
        reply=codec.reply_value(row.reply),
        key=row.key,
        part=row.part,
        attempt=row.attempt if unsure else row.attempt + 1,
        state=DeliveryState.UNSURE if unsure else DeliveryState.SENDING,
        turn=row.turn,
        created_at=row.created_at,
        repeat=row.repeat,
        edits=codec.receipt_value(row.edits) if row.edits else None,
        removes=codec.receipt_value(row.removes) if row.removes else None,
        plain=bool(row.plain),
    )


def place(conn: Connection, chat_row: int) -> ChatKey:
    """The chat of a row."""
    row = conn.execute(PLACE, {"b_chat": chat_row}).one()
    return chat_key(row.channel, row.account, row.chat_id, row.thread_id)


def floor(conn: Connection, lane: Lane) -> int:
    """Until when the platform wants no call of the account; 0 when it never said so."""
    value = conn.execute(FLOOR_OF, {"b_channel": lane.channel, "b_account": lane.account}).scalar()
    return int(value) if value else 0


def resume(conn: Connection, delivery: Delivery) -> None:
    """An unsure part was surely not sent, or may be repeated: mark it as sending again, with its count of repeats."""
    conn.execute(MARK_RESUMED, {"b_id": delivery.id, "b_repeat": delivery.repeat})


def keep_parts(conn: Connection, delivery: Delivery, parts: Sequence[Mapping[str, object]]) -> None:
    """Keep rendered parts; only a reply of several parts has any. What was kept before counts no more."""
    conn.execute(FORGET_PARTS, {"b_id": delivery.id})
    rows = [{"delivery": delivery.id, "n": n, "payload": codec.part_text(dict(part))} for n, part in enumerate(parts)]
    if rows:
        conn.execute(KEEP_PART, rows)


def stored_parts(conn: Connection, delivery: Delivery) -> list[dict[str, object]]:
    """What `keep_parts` kept, in order."""
    return [codec.part_value(text) for text in conn.execute(PARTS, {"b_id": delivery.id}).scalars()]


def sent(
    conn: Connection, delivery: Delivery, receipt: Receipt | None, more: bool, stored: bool, later: bool = False
) -> None:
    """Record a receipt. With `more` the next part is marked as sending in the same commit, or waits if `later`.

    Without one nothing can take the place of the message later: what should is sent by itself.
    """
    text = codec.receipt_text(receipt) if receipt else None
    if stored:
        conn.execute(PART_SENT, {"b_id": delivery.id, "b_n": delivery.part, "b_receipt": text})
    if more:
        state = DeliveryState.NEW if later else DeliveryState.SENDING
        row = {"b_id": delivery.id, "b_part": delivery.part + 1, "b_receipt": text}
        conn.execute(NEXT_PART, {**row, "b_state": state.value, "b_attempt": int(not later)})
    else:
        execute(conn, SENT, {"b_id": delivery.id, "b_receipt": text})


def retry(conn: Connection, delivery: Delivery, later: Retry) -> None:
    """Leave the part for later; an unsure one is settled before it goes out again."""
    state = DeliveryState.UNSURE if later.unsure else DeliveryState.NEW
    row = {"b_id": delivery.id, "b_state": state.value, "b_not_before": later.not_before}
    row |= {"b_repeat": later.repeat, "b_error": later.error}
    conn.execute(RETRY, row)
    if later.everywhere:
        chat = delivery.chat
        until = {"channel": chat.channel, "account": chat.account, "value": str(later.not_before)}
        conn.execute(SET_FLOOR.on(conn), until)


def unsettle(conn: Connection, lane: Lane) -> int:
    """What was being sent when the sender ended may have been sent.

    In a lane of a single session what waits is due now: it waited for a window, and here is one.
    """
    if lane.chat_id is not None:
        conn.execute(DUE_NOW, _place(lane))
    return conn.execute(UNSETTLE, _place(lane)).rowcount


def _place(lane: Lane) -> dict[str, object]:
    chat_id = None if lane.chat_id is None else well_formed(lane.chat_id)
    return {
        "b_channel": well_formed(lane.channel),
        "b_account": well_formed(lane.account),
        "b_chat_id": chat_id,
    }
