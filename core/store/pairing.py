"""People who ask to be let in, and whoever was."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, insert, null, select, update

from core.decide.pairing import DAY_MS, HOUR_MS, WAITING, code_of, fingerprint, may_have_one
from core.domain.chat import Principal, Role
from core.domain.text import well_formed
from core.store.schema import pairings
from core.store.sql import now_ms

_PERSON = (
    pairings.c.channel == bindparam("b_channel"),
    pairings.c.account == bindparam("b_account"),
    pairings.c.user_id == bindparam("b_user"),
)

ASKED = select(pairings.c.id, pairings.c.asked_at, pairings.c.first_at, pairings.c.codes, now_ms()).where(*_PERSON)

# Whoever floods the list keeps only others of the same account waiting.
OTHERS = select(func.count()).where(
    pairings.c.channel == bindparam("b_channel"),
    pairings.c.account == bindparam("b_account"),
    pairings.c.code.is_not(None),
    pairings.c.asked_at > now_ms() - HOUR_MS,
)

FIRST = insert(pairings).values(
    channel=bindparam("channel"),
    account=bindparam("account"),
    user_id=bindparam("user_id"),
    name=bindparam("name"),
    code=bindparam("code"),
    asked_at=now_ms(),
    first_at=now_ms(),
)

AGAIN = (
    update(pairings)
    .where(pairings.c.id == bindparam("b_id"))
    .values(
        name=bindparam("b_name"),
        code=bindparam("b_code"),
        asked_at=now_ms(),
        first_at=bindparam("b_first"),
        codes=bindparam("b_codes"),
    )
)

APPROVE = (
    update(pairings)
    .where(pairings.c.code == bindparam("b_code"), pairings.c.asked_at > now_ms() - HOUR_MS)
    .values(code=null(), role=bindparam("b_role"), approved_at=now_ms(), revoked_at=null())
    .returning(pairings.c.channel, pairings.c.account, pairings.c.user_id, pairings.c.name)
)

REVOKE = (
    update(pairings)
    .where(pairings.c.id == bindparam("b_id"), pairings.c.role.is_not(None))
    .values(role=null(), revoked_at=now_ms())
    .returning(pairings.c.channel, pairings.c.account, pairings.c.user_id, pairings.c.name)
)

LISTED = (
    select(pairings)
    .where((pairings.c.role.is_not(None)) | (pairings.c.asked_at > now_ms() - HOUR_MS))
    .order_by(pairings.c.id)
    .limit(bindparam("b_limit"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Somebody who asked; `role` is None as long as nobody has let them in, or since somebody took it back."""

    id: int
    channel: str
    account: str
    user_id: str
    name: str
    asked_at: int
    role: str | None
    approved_at: int | None


def offer(conn: Connection, person: Principal, key: str) -> str | None:
    """A code for this person, valid for an hour; None where they have one, had too many, or too many others wait."""
    place = {"b_channel": person.channel, "b_account": person.account}
    row = conn.execute(ASKED, {**place, "b_user": well_formed(person.user_id)}).one_or_none()
    now = row[4] if row else 0
    if row and not may_have_one(now, asked_at=row.asked_at, first_at=row.first_at, codes=row.codes):
        return None
    if conn.execute(OTHERS, place).scalar_one() >= WAITING:
        return None
    code, name = code_of(key), well_formed(person.name)
    if row is None:
        who = {"channel": person.channel, "account": person.account, "user_id": well_formed(person.user_id)}
        conn.execute(FIRST, {**who, "name": name, "code": fingerprint(code)})
        return code
    day_over = now >= row.first_at + DAY_MS
    count = {"b_first": now if day_over else row.first_at, "b_codes": 1 if day_over else row.codes + 1}
    conn.execute(AGAIN, {"b_id": row.id, "b_name": name, "b_code": fingerprint(code), **count})
    return code


def approve(conn: Connection, code: str, role: Role) -> Principal | None:
    """Let in whoever has this code; None for a code that there is not, or not any more. A code works once."""
    row = conn.execute(APPROVE, {"b_code": fingerprint(code), "b_role": role.value}).one_or_none()
    return Principal(channel=row[0], account=row[1], user_id=row[2], name=row[3]) if row else None


def revoke(conn: Connection, pairing: int) -> Principal | None:
    """From now on they are strangers again; None where they were not let in."""
    row = conn.execute(REVOKE, {"b_id": pairing}).one_or_none()
    return Principal(channel=row[0], account=row[1], user_id=row[2], name=row[3]) if row else None


def listed(conn: Connection, limit: int) -> list[Pairing]:
    """Who waits with a code that still works, and who was let in."""
    return [
        Pairing(
            id=row.id,
            channel=row.channel,
            account=row.account,
            user_id=row.user_id,
            name=row.name,
            asked_at=row.asked_at,
            role=row.role,
            approved_at=row.approved_at,
        )
        for row in conn.execute(LISTED, {"b_limit": limit})
    ]
