"""The first statement of T1: whoever holds a chat's row draws ids in commit order and decides alone."""

from dataclasses import dataclass, replace

from sqlalchemy import BindParameter, Connection, bindparam
from sqlalchemy.sql import Executable

from core.domain.message import Dropped, Inbound
from core.domain.text import well_formed
from core.store.rows import thread_column
from core.store.schema import chats
from core.store.sql import PerDialect, UpsertInsert, execute, now_ms
from core.store.wait_rows import StoredWait, open_of_chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """A chat while its row is locked: nothing of it changes but by this transaction.

    `untold` counts messages that were missed and replies that did not arrive, while nobody was told of them.
    """

    id: int
    fence: int
    signals: int
    ready: int | None
    live: int
    epoch: int
    asks: int
    session: int
    model: str | None
    agent: str | None
    owner: str | None
    queue_mode: str | None
    untold: int
    now: int
    waits: tuple[StoredWait, ...] = ()


_LOCKED = (
    chats.c.id,
    chats.c.fence,
    chats.c.signals,
    chats.c.ready,
    chats.c.live,
    chats.c.epoch,
    chats.c.asks,
    chats.c.session,
    chats.c.model,
    chats.c.agent,
    chats.c.owner,
    chats.c.queue_mode,
    (chats.c.missed + chats.c.lost).label("untold"),
    now_ms(),
)


_KEY = ("channel", "account", "chat_id", "thread_id")


def _lock_chat(make: UpsertInsert) -> Executable:
    values: dict[str, BindParameter[str]] = {name: bindparam(name) for name in _KEY}
    row = make.values(**values, shared=bindparam("shared"), created_at=now_ms())
    # The update changes nothing: it is there to lock the row and to return it.
    locked = row.on_conflict_do_update(index_elements=_KEY, set_={"fence": chats.c.fence})
    return locked.returning(*_LOCKED)


LOCK_CHAT = PerDialect(chats, _lock_chat)


def lock(conn: Connection, event: Inbound | Dropped) -> Locked:
    """Lock the event's chat, made when it is new, and read its open questions when it has any."""
    key = event.chat
    row = execute(
        conn,
        LOCK_CHAT.on(conn),
        {
            "channel": key.channel,
            "account": key.account,
            "chat_id": well_formed(key.chat_id),
            "thread_id": well_formed(thread_column(key)),
            "shared": int(isinstance(event, Inbound) and event.shared),
        },
    ).one()
    chat = Locked(
        id=row[0],
        fence=row[1],
        signals=row[2],
        ready=row[3],
        live=row[4],
        epoch=row[5],
        asks=row[6],
        session=row[7],
        model=row[8],
        agent=row[9],
        owner=row[10],
        queue_mode=row[11],
        untold=row[12],
        now=row[13],
    )
    return replace(chat, waits=tuple(open_of_chat(conn, chat.id))) if chat.asks else chat
