"""Messages that came too late to be answered: counted as they come, announced together.

The announcement is written with the first thing of the chat that is not too late, in front of whatever that leads to;
where nothing else comes, by the clock, when nothing old has come for a while. Hence it counts them all, though each is
a commit of its own.
"""

from sqlalchemy import Connection, bindparam, func, insert, literal_column, null, select, update

from core.decide.waits import moment
from core.domain.chat import ChatKey
from core.domain.message import says
from core.domain.texts import Texts
from core.store import codec
from core.store.rows import chat_key
from core.store.schema import chats, inbound, outbox
from core.store.sql import now_ms

QUIET_MS = 10_000

MISS = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        missed=chats.c.missed + 1,
        missed_first=func.coalesce(chats.c.missed_first, bindparam("b_inbound")),
        missed_at=now_ms(),
    )
)

MISSED = (
    select(chats.c.missed, chats.c.missed_first, inbound.c.at, now_ms())
    .join(inbound, inbound.c.id == chats.c.missed_first)
    .where(chats.c.id == bindparam("b_chat"))
)

ANNOUNCED = (
    update(chats).where(chats.c.id == bindparam("b_chat")).values(missed=0, missed_first=null(), missed_at=null())
)

ANNOUNCE = insert(outbox).values(
    chat=bindparam("chat"), key=bindparam("key"), reply=bindparam("reply"), state="new", created_at=now_ms()
)

UNANNOUNCED = (
    select(chats.c.id, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .where(literal_column("chats.missed > 0"), chats.c.missed_at <= now_ms() - QUIET_MS)
    .limit(100)
)


def miss(conn: Connection, chat_row: int, inbound_id: int) -> None:
    """One more."""
    conn.execute(MISS, {"b_chat": chat_row, "b_inbound": inbound_id})


def announce(conn: Connection, chat_row: int, texts: Texts) -> None:
    """Say how many there were, if any, from the time of the first until now; the chat's row is locked."""
    missed = conn.execute(MISSED, {"b_chat": chat_row}).one_or_none()
    if missed is None:
        return
    count, first, since, now = missed
    text = texts.say("away", a=moment(since), b=moment(now), n=count)
    row = {"chat": chat_row, "key": f"away-{first}", "reply": codec.reply_text(says(text))}
    conn.execute(ANNOUNCE, row)
    conn.execute(ANNOUNCED, {"b_chat": chat_row})


def tick(conn: Connection, texts: Texts) -> list[tuple[int, ChatKey]]:
    """Announce what nobody has asked about; gives the chats that have something to say."""
    touched = []
    for row in conn.execute(UNANNOUNCED.with_for_update(skip_locked=True)).all():
        announce(conn, row[0], texts)
        touched.append((row[0], chat_key(row[1], row[2], row[3], row[4])))
    return touched


def anything_due(conn: Connection) -> bool:
    """Whether `tick` would do anything; a read."""
    return conn.execute(UNANNOUNCED).first() is not None
