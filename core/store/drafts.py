"""The message in which a running turn shows its progress: a row of the outbox that was never open.

The reply of the turn names it in `replaces` and is sent as its edit.
"""

from sqlalchemy import Connection, bindparam, func, insert, literal_column, null, select, update
from sqlalchemy.sql import Executable

from core.domain.delivery import DeliveryState, Receipt
from core.domain.message import Reply
from core.store import codec
from core.store.schema import outbox, turns
from core.store.sql import now_ms

KEEP = insert(outbox).values(
    chat=select(turns.c.chat).where(turns.c.id == bindparam("turn")).scalar_subquery(),
    turn=bindparam("turn"),
    key=bindparam("key"),
    kind="draft",
    reply=bindparam("reply"),
    receipt=bindparam("receipt"),
    state=DeliveryState.SENT.value,
    created_at=now_ms(),
    closed_at=now_ms(),
)

_of_turn = (outbox.c.turn == bindparam("b_turn"), outbox.c.kind == "draft", outbox.c.receipt.is_not(None))

FIND = select(outbox.c.receipt, outbox.c.created_at).where(*_of_turn).limit(1)

# The index of what is open is used because its predicate stands there word for word.
OPEN_IN_CHAT: Executable = (
    select(literal_column("1"))
    .select_from(outbox)
    .where(
        outbox.c.chat == select(turns.c.chat).where(turns.c.id == bindparam("b_turn")).scalar_subquery(),
        outbox.c.closed_at.is_(None),
    )
    .limit(1)
)

_reply = outbox.alias("reply")

TAKEN: Executable = (
    select(literal_column("1"))
    .select_from(_reply)
    .join(outbox, outbox.c.id == _reply.c.replaces)
    .where(_reply.c.turn == bindparam("b_turn"), outbox.c.kind == "draft")
    .limit(1)
)

FORGET = update(outbox).where(*_of_turn).values(receipt=null())

_draft = outbox.alias("draft")
_stands = (_draft.c.turn == bindparam("turn"), _draft.c.kind == "draft", _draft.c.receipt.is_not(None))

# For the insert of a turn's reply: whose place it takes, and whether it is early enough to do so by an edit.
DRAFT_OF_TURN = select(func.max(_draft.c.id)).where(*_stands).scalar_subquery()
DRAFT_IS_FRESH = (
    select(literal_column("1")).select_from(_draft).where(*_stands, _draft.c.created_at > now_ms() - bindparam("fresh"))
).exists()


def keep(conn: Connection, turn: int, reply: Reply, receipt: Receipt, key: str) -> None:
    """The message of a turn is out."""
    row = {"turn": turn, "key": key, "reply": codec.reply_text(reply), "receipt": codec.receipt_text(receipt)}
    conn.execute(KEEP, row)


def find(conn: Connection, turn: int) -> tuple[Receipt, int] | None:
    """The message of a turn and when it was kept."""
    row = conn.execute(FIND, {"b_turn": turn}).one_or_none()
    return None if row is None or row[0] is None else (codec.receipt_value(row[0]), row[1])


def must_wait(conn: Connection, turn: int) -> bool:
    """Whether anything of the chat is on its way out."""
    return conn.execute(OPEN_IN_CHAT, {"b_turn": turn}).first() is not None


def forget(conn: Connection, turn: int) -> bool:
    """No reply takes its place from now on; False when one does already."""
    if conn.execute(TAKEN, {"b_turn": turn}).first() is not None:
        return False
    conn.execute(FORGET, {"b_turn": turn})
    return True
