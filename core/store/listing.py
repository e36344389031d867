"""Reading for people: what came in, what goes out, and the life of one message. Nothing here changes anything."""

from dataclasses import dataclass

from sqlalchemy import Connection, Select, and_, bindparam, case, func, literal_column, or_, select

from core.domain.chat import ChatKey
from core.domain.delivery import DeliveryState
from core.domain.message import plain
from core.domain.step import Stamped
from core.domain.text import well_formed
from core.domain.turn import TurnState
from core.store import codec
from core.store.rows import chat_key, thread_column
from core.store.schema import chats, inbound, outbox, outbox_parts, steps, turns

MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxLine:
    """One event that came in. `state` is its turn's, or done or pending for a command, or dropped."""

    id: int
    chat: ChatKey
    event_key: str
    sender: str
    sender_name: str
    received_at: int
    at: int
    lane: str
    state: str
    turn: int | None
    attempt: int
    cause: str | None
    drop_reason: str | None
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxLine:
    """One delivery. `part` counts the parts that are final."""

    id: int
    chat: ChatKey
    turn: int | None
    inbound: int | None
    state: str
    part: int
    attempt: int
    not_before: int
    error: str | None
    receipt: str | None
    created_at: int
    closed_at: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """One stored part of a long reply."""

    delivery: int
    n: int
    payload: dict[str, object]
    receipt: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """One step with its time."""

    stamped: Stamped
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One message from its event to its receipts: all that the store knows of it."""

    said: tuple[InboxLine, ...]
    steps: tuple[StepLine, ...]
    deliveries: tuple[OutboxLine, ...]
    parts: tuple[PartLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The store on one screen. Ages are measured from `oldest_*`, milliseconds UTC, None when there is none."""

    chats: int
    queued: int
    running: int
    waiting: int
    oldest_live: int | None
    undelivered: int
    oldest_undelivered: int | None
    dead: int
    broken: tuple[InboxLine, ...]
    dead_letters: tuple[OutboxLine, ...]
    repeated: int = 0


_INBOX: Select[*tuple[object, ...]] = (
    select(
        inbound.c.id,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        inbound.c.event_key,
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.received_at,
        inbound.c.at,
        inbound.c.lane,
        case(
            (inbound.c.drop_reason.is_not(None), "dropped"),
            (inbound.c.pending == 1, "pending"),
            (turns.c.state.is_not(None), turns.c.state),
            else_="done",
        ).label("state"),
        turns.c.id.label("turn"),
        func.coalesce(turns.c.attempt, 0).label("attempt"),
        turns.c.cause,
        inbound.c.drop_reason,
        inbound.c.content,
    )
    .join(chats, chats.c.id == inbound.c.chat)
    .outerjoin(turns, turns.c.id == func.coalesce(inbound.c.turn, inbound.c.id))
)

_OUTBOX: Select[*tuple[object, ...]] = select(
    outbox.c.id,
    chats.c.channel,
    chats.c.account,
    chats.c.chat_id,
    chats.c.thread_id,
    outbox.c.turn,
    outbox.c.inbound,
    outbox.c.state,
    outbox.c.part,
    outbox.c.attempt,
    outbox.c.not_before,
    outbox.c.error,
    outbox.c.receipt,
    outbox.c.created_at,
    outbox.c.closed_at,
    outbox.c.reply,
).join(chats, chats.c.id == outbox.c.chat)

INBOX_NEWEST = _INBOX.order_by(inbound.c.id.desc()).limit(bindparam("b_limit"))
INBOX_BROKEN = _INBOX.where(
    inbound.c.id.in_(
        select(turns.c.id)
        .where(literal_column("turns.state = 'broken'"), turns.c.undone == 0)
        .order_by(turns.c.id.desc())
        .limit(bindparam("b_limit"))
    )
).order_by(inbound.c.id.desc())
INBOX_BY_ID = _INBOX.where(inbound.c.id == bindparam("b_id"))
INBOX_BY_KEY = _INBOX.where(inbound.c.event_key == bindparam("b_key")).limit(1)
INBOX_OF_TURN = _INBOX.where(or_(inbound.c.id == bindparam("b_turn"), inbound.c.turn == bindparam("b_turn"))).order_by(
    inbound.c.id
)
# Progress messages are no replies: only the trace of a message shows them.
OUTBOX_NEWEST = _OUTBOX.where(outbox.c.kind != "draft").order_by(outbox.c.id.desc()).limit(bindparam("b_limit"))
OUTBOX_STATE = (
    _OUTBOX.where(outbox.c.state == bindparam("b_state"), outbox.c.kind != "draft")
    .order_by(outbox.c.id.desc())
    .limit(bindparam("b_limit"))
)
OUTBOX_DEAD = (
    _OUTBOX.where(literal_column("outbox.state = 'dead'")).order_by(outbox.c.id.desc()).limit(bindparam("b_limit"))
)
OUTBOX_ONE = _OUTBOX.where(outbox.c.id == bindparam("b_id"))
OUTBOX_OF = _OUTBOX.where(or_(outbox.c.turn == bindparam("b_id"), outbox.c.inbound == bindparam("b_id"))).order_by(
    outbox.c.id
)
STEPS_OF = (
    select(steps.c.seq, steps.c.body, steps.c.at).where(steps.c.turn == bindparam("b_turn")).order_by(steps.c.seq)
)
PARTS_OF = (
    select(outbox_parts.c.n, outbox_parts.c.payload, outbox_parts.c.receipt, outbox_parts.c.error)
    .where(outbox_parts.c.delivery == bindparam("b_id"))
    .order_by(outbox_parts.c.n)
)
LIVE_BY_STATE = (
    select(turns.c.state, func.count(), func.min(inbound.c.received_at))
    .join(inbound, inbound.c.id == turns.c.id)
    .where(turns.c.finished_at.is_(None))
    .group_by(turns.c.state)
)
OPEN_DELIVERIES = select(func.count(), func.min(outbox.c.created_at)).where(outbox.c.closed_at.is_(None))
DEAD_DELIVERIES = select(func.count()).select_from(outbox).where(literal_column("outbox.state = 'dead'"))
POSSIBLE_REPEATS = select(func.coalesce(func.sum(outbox.c.repeats), 0)).where(literal_column("outbox.repeats > 0"))
CHATS = select(func.count()).select_from(chats)
CHAT_ROW = select(chats.c.id, chats.c.session).where(
    and_(
        chats.c.channel == bindparam("b_channel"),
        chats.c.account == bindparam("b_account"),
        chats.c.chat_id == bindparam("b_chat_id"),
        chats.c.thread_id == bindparam("b_thread"),
    )
)


def inbox(conn: Connection, limit: int) -> list[InboxLine]:
    """The newest events, newest first."""
    return _inbox_lines(conn, INBOX_NEWEST, {"b_limit": min(limit, MOST)})


def outbox_list(conn: Connection, limit: int, state: DeliveryState | None = None) -> list[OutboxLine]:
    """The newest deliveries, newest first, of one state or all."""
    if state is None:
        return _outbox_lines(conn, OUTBOX_NEWEST, {"b_limit": min(limit, MOST)})
    if state is DeliveryState.DEAD:
        return _outbox_lines(conn, OUTBOX_DEAD, {"b_limit": min(limit, MOST)})
    return _outbox_lines(conn, OUTBOX_STATE, {"b_limit": min(limit, MOST), "b_state": state.value})


def inbox_one(conn: Connection, name: str) -> InboxLine | None:
    """By our id or the platform's event key."""
    ours = name.isascii() and name.isdigit() and len(name) < 19
    found = _inbox_lines(conn, INBOX_BY_ID, {"b_id": int(name)}) if ours else []
    found = found or _inbox_lines(conn, INBOX_BY_KEY, {"b_key": well_formed(name)})
    return found[0] if found else None


def outbox_one(conn: Connection, delivery: int) -> OutboxLine | None:
    """By id."""
    found = _outbox_lines(conn, OUTBOX_ONE, {"b_id": delivery})
    return found[0] if found else None


def trace(conn: Connection, name: str) -> Trace | None:
    """The whole life of the message with this id of ours or event key of the platform's."""
    first = inbox_one(conn, name)
    if first is None:
        return None
    said = tuple(_inbox_lines(conn, INBOX_OF_TURN, {"b_turn": first.turn})) if first.turn else (first,)
    # What was tried again had a turn for each attempt, and each was headed by one of these.
    happened = tuple(
        StepLine(stamped=Stamped(seq=row.seq, step=codec.step_value(row.body)), at=row.at)
        for line in said
        for row in conn.execute(STEPS_OF, {"b_turn": line.id})
    )
    deliveries = tuple(one for line in said for one in _outbox_lines(conn, OUTBOX_OF, {"b_id": line.id}))
    parts = tuple(part for delivery in deliveries for part in _parts(conn, delivery.id))
    return Trace(said=said, steps=happened, deliveries=deliveries, parts=parts)


def overview(conn: Connection, newest: int = 5) -> Overview:
    """Counts and the last troubles."""
    live = {row[0]: (row[1], row[2]) for row in conn.execute(LIVE_BY_STATE)}
    undelivered, oldest_undelivered = conn.execute(OPEN_DELIVERIES).one()
    return Overview(
        chats=conn.execute(CHATS).scalar_one(),
        queued=live.get(TurnState.QUEUED.value, (0, None))[0],
        running=live.get(TurnState.RUNNING.value, (0, None))[0],
        waiting=live.get(TurnState.WAITING.value, (0, None))[0],
        oldest_live=min((oldest for _, oldest in live.values()), default=None),
        undelivered=undelivered,
        oldest_undelivered=oldest_undelivered,
        dead=conn.execute(DEAD_DELIVERIES).scalar_one(),
        broken=tuple(_inbox_lines(conn, INBOX_BROKEN, {"b_limit": newest})),
        dead_letters=tuple(outbox_list(conn, newest, DeliveryState.DEAD)),
        repeated=conn.execute(POSSIBLE_REPEATS).scalar_one(),
    )


def chat_row(conn: Connection, key: ChatKey) -> tuple[int, int] | None:
    """A chat's row and its current session, if it exists."""
    binds = {
        "b_channel": key.channel,
        "b_account": key.account,
        "b_chat_id": well_formed(key.chat_id),
        "b_thread": well_formed(thread_column(key)),
    }
    row = conn.execute(CHAT_ROW, binds).one_or_none()
    return (row[0], row[1]) if row else None


def _inbox_lines(conn: Connection, statement: Select[*tuple[object, ...]], binds: dict[str, object]) -> list[InboxLine]:
    return [
        InboxLine(
            id=row.id,
            chat=chat_key(row.channel, row.account, row.chat_id, row.thread_id),
            event_key=row.event_key,
            sender=row.sender,
            sender_name=row.sender_name,
            received_at=row.received_at,
            at=row.at,
            lane=row.lane,
            state=row.state,
            turn=row.turn,
            attempt=row.attempt,
            cause=row.cause,
            drop_reason=row.drop_reason,
            content=row.content,
        )
        for row in conn.execute(statement, binds)
    ]


def _outbox_lines(
    conn: Connection, statement: Select[*tuple[object, ...]], binds: dict[str, object]
) -> list[OutboxLine]:
    return [
        OutboxLine(
            id=row.id,
            chat=chat_key(row.channel, row.account, row.chat_id, row.thread_id),
            turn=row.turn,
            inbound=row.inbound,
            state=row.state,
            part=row.part,
            attempt=row.attempt,
            not_before=row.not_before,
            error=row.error,
            receipt=row.receipt,
            created_at=row.created_at,
            closed_at=row.closed_at,
            text=plain(codec.reply_value(row.reply)),
        )
        for row in conn.execute(statement, binds)
    ]


def _parts(conn: Connection, delivery: int) -> list[PartLine]:
    return [
        PartLine(
            delivery=delivery,
            n=row.n,
            payload=codec.part_value(row.payload),
            receipt=row.receipt,
            error=row.error,
        )
        for row in conn.execute(PARTS_OF, {"b_id": delivery})
    ]
