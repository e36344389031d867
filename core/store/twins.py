"""Further names of an event: whatever comes under one of them later is that event again."""

from sqlalchemy import Connection, bindparam, literal, select, union_all

from core.domain.message import Dropped, Inbound
from core.domain.text import well_formed
from core.store.schema import inbound, twins
from core.store.sql import PerDialect

SEEN = union_all(
    select(literal(1)).where(
        inbound.c.event_key == bindparam("b_key"),
        inbound.c.channel == bindparam("b_channel"),
        inbound.c.account == bindparam("b_account"),
    ),
    select(literal(1)).where(
        twins.c.event_key == bindparam("b_key"),
        twins.c.channel == bindparam("b_channel"),
        twins.c.account == bindparam("b_account"),
    ),
).limit(1)

KEEP = PerDialect(
    twins,
    lambda make: make.values(
        event_key=bindparam("event_key"),
        channel=bindparam("channel"),
        account=bindparam("account"),
        inbound=bindparam("inbound"),
    ).on_conflict_do_nothing(index_elements=["event_key", "channel", "account"]),
)


def seen(conn: Connection, event: Inbound | Dropped) -> bool:
    """Whether one of its further names is known; its own is looked at when it is stored. No statement without twins."""
    place = {"b_channel": event.chat.channel, "b_account": event.chat.account}
    return any(conn.execute(SEEN, {**place, "b_key": name}).first() is not None for name in _names(event))


def keep(conn: Connection, event: Inbound | Dropped, inbound_id: int) -> None:
    """From now on they are known."""
    place = {"channel": event.chat.channel, "account": event.chat.account, "inbound": inbound_id}
    for name in _names(event):
        conn.execute(KEEP.on(conn), {**place, "event_key": name})


def _names(event: Inbound | Dropped) -> list[str]:
    found = event.twins if isinstance(event, Inbound) else ()
    return [name for one in dict.fromkeys(found) if (name := well_formed(one)) != well_formed(event.event_key)]
