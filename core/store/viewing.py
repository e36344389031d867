"""The chat as intake judges it: its locked row, and what else a decision needs."""

from dataclasses import replace

from sqlalchemy import Connection, and_, bindparam, case, func, literal, literal_column, or_, select, union_all

from core.decide.facts import Fact, facts
from core.decide.queueing import QUEUE_FULL
from core.decide.view import Backlog, Burst, ChatView, Known, Rules, Target
from core.domain.chat import Principal, QueueMode
from core.domain.message import Inbound
from core.domain.text import well_formed
from core.domain.turn import TurnState
from core.store.chat_lock import Locked
from core.store.schema import inbound, outbox, steps, turns
from core.store.sql import now_ms

# Holds a chat while a burst may go on; no worker has this name.
COLLECTING = "collect"
DAY_MS = 24 * 3600 * 1000

_live = and_(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
_has_steps = select(literal(1)).select_from(steps).where(steps.c.turn == turns.c.id).exists()

BEGUN = select(turns.c.id).where(
    turns.c.id == bindparam("b_ready"), or_(turns.c.state == TurnState.RUNNING.value, _has_steps)
)

# Of the turn that comes first: it runs, waits for an answer, or is the next to run.
STARTER = (
    select(inbound.c.sender, inbound.c.sender_name)
    .select_from(turns)
    .join(inbound, inbound.c.id == turns.c.id)
    .where(_live)
    .order_by(turns.c.id)
    .limit(1)
)

_queued = and_(_live, turns.c.state == TurnState.QUEUED.value, turns.c.id != bindparam("b_ready"))
_waiting = union_all(
    select(inbound.c.sender).select_from(turns).join(inbound, inbound.c.id == turns.c.id).where(_queued),
    select(inbound.c.sender)
    .select_from(turns)
    .join(inbound, and_(inbound.c.turn == turns.c.id, inbound.c.lane == "turn"))
    .where(_queued),
).subquery("waiting")

BACKLOG = select(
    func.count(), func.coalesce(func.sum(case((_waiting.c.sender == bindparam("b_sender"), 1), else_=0)), 0)
).select_from(_waiting)

LAST_OF_SENDER = (
    select(inbound.c.drop_reason)
    .where(inbound.c.chat == bindparam("b_chat"), inbound.c.sender == bindparam("b_sender"))
    .order_by(inbound.c.id.desc())
    .limit(1)
)

_joined = (
    select(func.count())
    .select_from(inbound)
    .where(inbound.c.turn == turns.c.id, inbound.c.lane == "turn")
    .scalar_subquery()
)
_head = inbound.alias("head")
NEWEST_TURN = (
    select(turns.c.id, turns.c.state, _has_steps, _head.c.lane, _head.c.sender, 1 + _joined)
    .select_from(turns)
    .join(_head, _head.c.id == turns.c.id)
    .where(_live)
    .order_by(turns.c.id.desc())
    .limit(1)
)

TARGET = (
    select(
        inbound.c.id,
        inbound.c.turn,
        inbound.c.sender,
        inbound.c.content,
        inbound.c.lane,
        turns.c.state,
        _has_steps,
    )
    .select_from(inbound)
    .outerjoin(turns, turns.c.id == func.coalesce(inbound.c.turn, inbound.c.id))
    .where(
        inbound.c.chat == bindparam("b_chat"),
        inbound.c.message_id == bindparam("b_message"),
        inbound.c.kind.in_(("message", "command")),
        inbound.c.drop_reason.is_(None),
    )
    .order_by(inbound.c.id.desc())
    .limit(1)
)


# The predicate of the index stands there word for word.
TOLD = (
    select(literal(1))
    .select_from(inbound)
    .join(outbox, outbox.c.inbound == inbound.c.id)
    .where(
        inbound.c.sender == bindparam("b_sender"),
        inbound.c.channel == bindparam("b_channel"),
        inbound.c.account == bindparam("b_account"),
        literal_column("inbound.refused = 1"),
        inbound.c.received_at > now_ms() - DAY_MS,
    )
    .limit(1)
)


def view(conn: Connection, event: Inbound, chat: Locked, rules: Rules, known: Known) -> ChatView:
    """One read for each fact that this event needs; a message to an idle chat, or one at work, needs none."""
    seen = ChatView(
        live=chat.live,
        running=chat.ready is not None,
        waits=[stored.wait for stored in chat.waits],
        mode=QueueMode(chat.queue_mode) if chat.queue_mode else rules.queueing.mode(event.chat),
        now=chat.now,
        at_work=_at_work(conn, chat),
        known=known,
    )
    needed = facts(event, seen, rules)
    if not needed:
        return seen
    return replace(
        seen,
        starter=_starter(conn, event, chat) if Fact.STARTER in needed else None,
        backlog=_backlog(conn, event, chat) if Fact.BACKLOG in needed else seen.backlog,
        burst=_burst(conn, chat) if Fact.BURST in needed else None,
        target=_target(conn, event, chat) if Fact.TARGET in needed else None,
        told=Fact.TOLD in needed and _told(conn, event),
    )


def _at_work(conn: Connection, chat: Locked) -> int | None:
    """The turn that has begun, whether somebody holds it or its worker has died or given it back."""
    if chat.ready is None or chat.owner == COLLECTING:
        return None
    if chat.owner is not None:
        return chat.ready
    begun: int | None = conn.execute(BEGUN, {"b_ready": chat.ready}).scalar()
    return begun


def _told(conn: Connection, event: Inbound) -> bool:
    place = {"b_channel": event.chat.channel, "b_account": event.chat.account}
    return conn.execute(TOLD, {"b_sender": well_formed(event.sender.user_id), **place}).first() is not None


def _starter(conn: Connection, event: Inbound, chat: Locked) -> Principal | None:
    row = conn.execute(STARTER, {"b_chat": chat.id}).one_or_none()
    place = event.chat
    return Principal(channel=place.channel, account=place.account, user_id=row[0], name=row[1]) if row else None


def _backlog(conn: Connection, event: Inbound, chat: Locked) -> Backlog:
    who = {"b_chat": chat.id, "b_sender": well_formed(event.sender.user_id)}
    messages, senders = conn.execute(BACKLOG, {**who, "b_ready": chat.ready or 0}).one()
    refused = conn.execute(LAST_OF_SENDER, who).scalar() == QUEUE_FULL
    return Backlog(messages=messages, senders=senders, refused=refused)


def _burst(conn: Connection, chat: Locked) -> Burst | None:
    row = conn.execute(NEWEST_TURN, {"b_chat": chat.id}).one_or_none()
    if row is None:
        return None
    turn, state, begun, lane, sender, messages = row
    if state != TurnState.QUEUED.value or begun or lane != "turn":
        return None
    return Burst(turn=turn, sender=sender, messages=messages)


def _target(conn: Connection, event: Inbound, chat: Locked) -> Target | None:
    if event.message_id is None:
        return None
    row = conn.execute(TARGET, {"b_chat": chat.id, "b_message": well_formed(event.message_id)}).one_or_none()
    if row is None:
        return None
    inbound_id, turn, sender, content, lane, state, has_steps = row
    return Target(
        inbound=inbound_id,
        turn=turn if turn is not None else inbound_id,
        sender=sender,
        content=content,
        live=state in (TurnState.QUEUED.value, TurnState.RUNNING.value, TurnState.WAITING.value),
        begun=state != TurnState.QUEUED.value or bool(has_steps),
        said=lane != "control",
        opens=lane == "turn",
    )
