"""What a turn says while it runs: to its own chat, or to another one."""

from sqlalchemy import BindParameter, Connection, bindparam, select
from sqlalchemy.sql import Executable

from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState
from core.domain.message import Reply
from core.ports import Claim
from core.store import codec
from core.store.rows import thread_column
from core.store.schema import chats, outbox
from core.store.sql import PerDialect, UpsertInsert, now_ms

_KEY = ("channel", "account", "chat_id", "thread_id")


def _make_chat(make: UpsertInsert) -> Executable:
    values: dict[str, BindParameter[str]] = {name: bindparam(name) for name in _KEY}
    return make.values(**values, created_at=now_ms()).on_conflict_do_nothing(index_elements=_KEY)


MAKE_CHAT = PerDialect(chats, _make_chat)

FIND_CHAT = select(chats.c.id).where(*(chats.c[name] == bindparam(f"b_{name}") for name in _KEY))

# Both rows at once and in one order: two turns that write into each other's chats do not wait for each other.
LOCK_BOTH = (
    select(chats.c.id, chats.c.fence)
    .where(chats.c.id.in_((bindparam("b_own"), bindparam("b_other"))))
    .order_by(chats.c.id)
    .with_for_update()
)


def _say_once(make: UpsertInsert) -> Executable:
    row = make.values(
        chat=bindparam("chat"),
        turn=bindparam("turn"),
        key=bindparam("key"),
        reply=bindparam("reply"),
        state=DeliveryState.NEW.value,
        created_at=now_ms(),
    )
    return row.on_conflict_do_nothing(index_elements=["key"])


SAY_ONCE = PerDialect(outbox, _say_once)


def say(conn: Connection, held: Claim, reply: Reply, key: str, to: ChatKey | None) -> int | None:
    """Write the reply, unless one with this key is there already. Gives the row of the chat that it goes to.

    None, and nothing written, when the lease is lost.
    """
    target = held.chat_row if to is None or to == held.chat else _row_of(conn, to)
    locked = {row.id: row.fence for row in conn.execute(LOCK_BOTH, {"b_own": held.chat_row, "b_other": target})}
    if locked[held.chat_row] != held.fence:
        return None
    row = {"chat": target, "turn": held.turn, "key": key, "reply": codec.reply_text(reply)}
    conn.execute(SAY_ONCE.on(conn), row)
    return target


def _row_of(conn: Connection, chat: ChatKey) -> int:
    place = {
        "channel": chat.channel,
        "account": chat.account,
        "chat_id": chat.chat_id,
        "thread_id": thread_column(chat),
    }
    conn.execute(MAKE_CHAT.on(conn), place)
    return int(conn.execute(FIND_CHAT, {f"b_{name}": value for name, value in place.items()}).scalar_one())
