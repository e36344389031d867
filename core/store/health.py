"""Whether a store is whole, and whether its times make sense. Reads only."""

from sqlalchemy import Connection, func, select, text

from core.store.schema import inbound

NEWEST = select(func.max(inbound.c.received_at))


def damage(conn: Connection, *, deep: bool) -> str:
    """What SQLite finds wrong in its file, empty when nothing; `deep` compares the indexes too, which takes longer."""
    if conn.dialect.name != "sqlite":
        return ""
    found = conn.execute(text("PRAGMA integrity_check(3)" if deep else "PRAGMA quick_check(3)")).scalars().all()
    return "" if found == ["ok"] else "; ".join(str(line) for line in found)


def newest(conn: Connection) -> int:
    """When the newest event was taken, in milliseconds; 0 when none was."""
    found: int | None = conn.execute(NEWEST).scalar()
    return found or 0
