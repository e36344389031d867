"""How far a channel has read, and what else of an account outlives the process. A scope names one such thing."""

from sqlalchemy import Connection, bindparam, select

from core.domain.text import well_formed
from core.store.inbound_rows import MOVE_CURSOR
from core.store.schema import cursors
from core.store.sql import execute

VALUE_OF = select(cursors.c.value).where(
    cursors.c.channel == bindparam("b_channel"),
    cursors.c.account == bindparam("b_account"),
    cursors.c.scope == bindparam("b_scope"),
)


def value_of(conn: Connection, channel: str, account: str, scope: str) -> str | None:
    """What was kept last; None for what never was."""
    found: str | None = execute(
        conn, VALUE_OF, {"b_channel": channel, "b_account": account, "b_scope": well_formed(scope)}
    ).scalar()
    return found


def keep(conn: Connection, channel: str, account: str, scope: str, value: str) -> None:
    """From now on it is this."""
    row = {"channel": channel, "account": account, "scope": well_formed(scope), "value": well_formed(value)}
    execute(conn, MOVE_CURSOR.on(conn), row)
