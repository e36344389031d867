"""T2 and leases: who works on which chat. The chat's row owns order and exclusivity; turns carry no lease."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, case, null, or_, select, update

from core.domain.turn import TurnEvent, TurnState, after
from core.ports import Claim, Lease
from core.store import codec
from core.store.rows import chat_key
from core.store.schema import chats, inbound, turns
from core.store.sql import execute, now_ms

# `ready IS NOT NULL` stands there word for word, or SQLite would not use the partial index.
_FIRST_READY = (
    select(chats.c.id)
    .where(chats.c.ready.is_not(None), or_(chats.c.until.is_(None), chats.c.until < now_ms()))
    .order_by(chats.c.ready)
    .limit(1)
    .with_for_update(skip_locked=True)
    .scalar_subquery()
)

CLAIM_CHAT = (
    update(chats)
    .where(chats.c.id == _FIRST_READY)
    .values(owner=bindparam("b_owner"), fence=chats.c.fence + 1, until=now_ms() + bindparam("b_lease"))
    .returning(
        chats.c.id,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        chats.c.fence,
        chats.c.signals,
        chats.c.epoch,
        chats.c.session,
        chats.c.ready,
        chats.c.shared,
    )
)

START_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"))
    .values(state=after(TurnState.QUEUED, TurnEvent.CLAIMED).value, attempt=turns.c.attempt + 1)
    .returning(
        turns.c.agent,
        turns.c.attempt,
        select(inbound.c.choice).where(inbound.c.id == bindparam("b_turn")).scalar_subquery(),
    )
)

RENEW = (
    update(chats)
    .where(chats.c.id.in_(bindparam("b_chats", expanding=True)), chats.c.owner == bindparam("b_owner"))
    .values(until=now_ms() + bindparam("b_lease"))
    .returning(chats.c.id, chats.c.fence, chats.c.signals)
)

# A turn that has parked or ended keeps the fence until somebody claims again, but it is not the ready one any more.
RELEASE_CHAT = (
    update(chats)
    .where(
        chats.c.id == bindparam("b_chat"), chats.c.fence == bindparam("b_fence"), chats.c.ready == bindparam("b_turn")
    )
    .values(owner=null(), until=null())
)

REQUEUE_TURN = (
    update(turns)
    .where(turns.c.id == bindparam("b_turn"), turns.c.state == TurnState.RUNNING.value)
    .values(
        state=after(TurnState.RUNNING, TurnEvent.LEASE_LOST).value,
        attempt=case((turns.c.attempt > 0, turns.c.attempt - 1), else_=0),
    )
)

VOID_LEASES = update(chats).where(chats.c.owner.is_not(None)).values(owner=null(), until=null())


def claim(conn: Connection, owner: str, lease_ms: int, most: int) -> list[Claim]:
    """Take up to `most` chats, those first whose ready turn is oldest. Fences grow: an earlier holder is out."""
    claims: list[Claim] = []
    while len(claims) < most and (one := _claim_one(conn, owner, lease_ms)) is not None:
        claims.append(one)
    return claims


def _claim_one(conn: Connection, owner: str, lease_ms: int) -> Claim | None:
    chat = execute(conn, CLAIM_CHAT, {"b_owner": owner, "b_lease": lease_ms}).one_or_none()
    if chat is None:
        return None
    chat_row, channel, account, chat_id, thread_id, fence, signals, epoch, session, turn, shared = chat
    agent, attempt, choice = execute(conn, START_TURN, {"b_turn": turn}).one()
    return Claim(
        chat_row=chat_row,
        chat=chat_key(channel, account, chat_id, thread_id),
        turn=turn,
        fence=fence,
        signals=signals,
        epoch=epoch,
        session=session,
        agent=agent,
        choice=codec.choice_value(choice),
        attempt=attempt,
        shared=bool(shared),
    )


def renew(conn: Connection, owner: str, lease_ms: int, chat_rows: Sequence[int]) -> dict[int, Lease]:
    """Prolong the leases of `owner` on these chats; what is missing in the answer is not its own any more."""
    rows = conn.execute(RENEW, {"b_owner": owner, "b_lease": lease_ms, "b_chats": list(chat_rows)})
    return {row[0]: Lease(fence=row[1], signals=row[2]) for row in rows}


def release(conn: Connection, held: Claim) -> None:
    """Give an unfinished turn back. Nothing happens when the lease is lost already, nor when the turn has parked or
    ended by a commit of which the holder never heard.
    """
    place = {"b_chat": held.chat_row, "b_fence": held.fence, "b_turn": held.turn}
    if conn.execute(RELEASE_CHAT, place).rowcount:
        conn.execute(REQUEUE_TURN, {"b_turn": held.turn})


def void_leases(conn: Connection) -> int:
    """Nobody else works on this file: whatever is leased was left behind. Immune to clocks that jump."""
    return conn.execute(VOID_LEASES).rowcount
