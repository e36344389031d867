"""What approvers allowed for good: the same tool, the same digest, this chat, for 30 days."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, literal_column, null, select, update
from sqlalchemy.sql import Executable

from core.decide.approval import GRANT_LASTS_MS
from core.domain.wait import Question
from core.ports import Claim
from core.store.schema import chats, grants
from core.store.sql import PerDialect, UpsertInsert, now_ms


def _grant(make: UpsertInsert) -> Executable:
    row = make.values(
        chat=bindparam("chat"),
        tool=bindparam("tool"),
        digest=bindparam("digest"),
        granted_by=bindparam("granted_by"),
        granted_at=now_ms(),
        until=now_ms() + GRANT_LASTS_MS,
    )
    fresh = {
        "granted_by": row.excluded.granted_by,
        "granted_at": row.excluded.granted_at,
        "until": row.excluded.until,
        "revoked_at": None,
    }
    return row.on_conflict_do_update(index_elements=["chat", "tool", "digest"], set_=fresh)


GRANT = PerDialect(grants, _grant)

_in_force = (grants.c.revoked_at.is_(None), grants.c.until > now_ms())

GRANTED = select(grants.c.id).where(
    grants.c.chat == bindparam("b_chat"),
    grants.c.tool == bindparam("b_tool"),
    grants.c.digest == bindparam("b_digest"),
    *_in_force,
)

LISTED = (
    select(
        grants.c.id,
        chats.c.channel,
        chats.c.chat_id,
        grants.c.tool,
        grants.c.digest,
        grants.c.granted_by,
        grants.c.granted_at,
        grants.c.until,
    )
    .select_from(grants)
    # Computed, so that the search begins at the few grants.
    .join(chats, chats.c.id == grants.c.chat + literal_column("0"))
    .where(*_in_force)
    .order_by(grants.c.id.desc())
    .limit(bindparam("b_limit"))
)

REVOKE = (
    update(grants).where(grants.c.id == bindparam("b_id"), grants.c.revoked_at.is_(null())).values(revoked_at=now_ms())
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantLine:
    """A grant as an operator sees it."""

    id: int
    channel: str
    chat: str
    tool: str
    digest: str
    granted_by: str
    granted_at: int
    until: int


def grant(conn: Connection, chat_row: int, question: Question, by: str) -> None:
    """Allow for good what a question shows; once more prolongs it."""
    conn.execute(GRANT.on(conn), {"chat": chat_row, "tool": question.tool, "digest": question.digest, "granted_by": by})


def granted(conn: Connection, held: Claim, tool: str, digest: str) -> bool:
    """Whether a call of exactly this content may run in the chat without being asked about."""
    row = {"b_chat": held.chat_row, "b_tool": tool, "b_digest": digest}
    return conn.execute(GRANTED, row).first() is not None


def listed(conn: Connection, limit: int) -> list[GrantLine]:
    """What is in force, newest first."""
    return [
        GrantLine(
            id=row[0],
            channel=row[1],
            chat=row[2],
            tool=row[3],
            digest=row[4],
            granted_by=row[5],
            granted_at=row[6],
            until=row[7],
        )
        for row in conn.execute(LISTED, {"b_limit": limit})
    ]


def revoke(conn: Connection, grant_id: int) -> bool:
    """Ask again from now on; False when there is no such grant in force."""
    return conn.execute(REVOKE, {"b_id": grant_id}).rowcount > 0
