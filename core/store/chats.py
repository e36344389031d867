"""What a chat remembers about itself, and what runs and waits in it."""

from sqlalchemy import Connection, bindparam, func, select, update

from core.domain.chat import QueueMode
from core.domain.turn import TurnState
from core.ports import QueueView
from core.store.schema import chats, inbound, outbox, turns

MODEL = select(chats.c.model).where(chats.c.id == bindparam("b_chat"))

SET_MODEL = update(chats).where(chats.c.id == bindparam("b_chat")).values(model=bindparam("b_model"))

MODE = select(chats.c.queue_mode).where(chats.c.id == bindparam("b_chat"))

SET_MODE = update(chats).where(chats.c.id == bindparam("b_chat")).values(queue_mode=bindparam("b_mode"))

LIVE = (
    select(turns.c.id, turns.c.state, inbound.c.received_at)
    .join(inbound, inbound.c.id == turns.c.id)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
    .order_by(turns.c.id)
)

UNDELIVERED = (
    select(func.count()).select_from(outbox).where(outbox.c.chat == bindparam("b_chat"), outbox.c.closed_at.is_(None))
)


def model(conn: Connection, chat_row: int) -> str | None:
    """The model that was chosen for this chat."""
    return conn.execute(MODEL, {"b_chat": chat_row}).scalar()


def set_model(conn: Connection, chat_row: int, name: str | None) -> None:
    """Counts from the next admitted message."""
    conn.execute(SET_MODEL, {"b_chat": chat_row, "b_model": name})


def set_queue_mode(conn: Connection, chat_row: int, mode: QueueMode) -> None:
    """Counts from the next message."""
    conn.execute(SET_MODE, {"b_chat": chat_row, "b_mode": mode.value})


def queue(conn: Connection, chat_row: int) -> QueueView:
    """What runs here and how much waits."""
    live = conn.execute(LIVE, {"b_chat": chat_row}).all()
    mode = conn.execute(MODE, {"b_chat": chat_row}).scalar()
    running = next((row for row in live if row.state == TurnState.RUNNING.value), None)
    return QueueView(
        running=running.id if running else None,
        since=running.received_at if running else None,
        waiting=len(live) - (running is not None),
        undelivered=conn.execute(UNDELIVERED, {"b_chat": chat_row}).scalar_one(),
        mode=QueueMode(mode) if mode else None,
    )
