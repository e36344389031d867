"""T1: whatever came in, stored and decided in one commit.

The chat's row is locked before an id is drawn, so ids grow in commit order within a chat.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import assert_never

from sqlalchemy import BindParameter, Connection, bindparam, insert, literal_column, null, select, update
from sqlalchemy.sql import Executable

from core.decide.intake import Answer, Cancel, ChatView, Command, Decision, Drop, Enqueue, Rules, decide
from core.domain.chat import ChatKey, Principal
from core.domain.command import CommandCall
from core.domain.message import Dropped, Inbound, Reply, says
from core.domain.text import well_formed
from core.domain.turn import ModelChoice, TurnEvent, TurnState, after
from core.domain.wait import WaitState
from core.ports import Accepted, Claim, PendingCommand
from core.store import codec, waits
from core.store.rows import chat_key, thread_column
from core.store.schema import chats, cursors, inbound, outbox, turns
from core.store.sql import PerDialect, UpsertInsert, now_ms
from core.store.waits import Closed, StoredWait


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Everything that intake needs to know beside the event and the store."""

    rules: Rules
    choose: Callable[[str | None], ModelChoice]
    agent: Callable[[ChatKey], str]
    owner: str | None  # set when this process could start the turn at once
    lease_ms: int
    key: str  # for the notice, should one be due


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chat:
    id: int
    fence: int
    signals: int
    ready: int | None
    live: int
    epoch: int
    asks: int
    cut: int
    model: str | None
    agent: str | None
    waits: tuple[StoredWait, ...] = ()


_LOCKED = (
    chats.c.id,
    chats.c.fence,
    chats.c.signals,
    chats.c.ready,
    chats.c.live,
    chats.c.epoch,
    chats.c.asks,
    chats.c.cut,
    chats.c.model,
    chats.c.agent,
)


_KEY = ("channel", "account", "chat_id", "thread_id")


def _lock_chat(make: UpsertInsert) -> Executable:
    values: dict[str, BindParameter[str]] = {name: bindparam(name) for name in _KEY}
    row = make.values(**values, shared=bindparam("shared"), created_at=now_ms())
    # The update changes nothing: it is there to lock the row and to return it.
    locked = row.on_conflict_do_update(index_elements=_KEY, set_={"fence": chats.c.fence})
    return locked.returning(*_LOCKED)


LOCK_CHAT = PerDialect(chats, _lock_chat)

_INBOUND_BINDS = (
    *("chat", "channel", "account", "event_key", "sender", "sender_name", "kind", "lane", "content", "attachments"),
    *("reply_to", "at", "command", "arguments", "pending", "drop_reason", "choice"),
)


def _insert_inbound(make: UpsertInsert) -> Executable:
    row = make.values(**{name: bindparam(name) for name in _INBOUND_BINDS}, received_at=now_ms())
    once = row.on_conflict_do_nothing(index_elements=["event_key", "channel", "account"])
    return once.returning(inbound.c.id)


INSERT_INBOUND = PerDialect(inbound, _insert_inbound)


def _move_cursor(make: UpsertInsert) -> Executable:
    row = make.values(**{name: bindparam(name) for name in ("channel", "account", "scope", "value")}, moved_at=now_ms())
    return row.on_conflict_do_update(
        index_elements=["channel", "account", "scope"],
        set_={"value": row.excluded.value, "moved_at": row.excluded.moved_at},
    )


MOVE_CURSOR = PerDialect(cursors, _move_cursor)

INSERT_TURN = insert(turns).values(
    id=bindparam("turn"),
    chat=bindparam("chat"),
    agent=bindparam("agent"),
    state=bindparam("state"),
    attempt=bindparam("attempt"),
)

ENQUEUE = (
    update(chats).where(chats.c.id == bindparam("b_chat")).values(live=chats.c.live + 1, ready=bindparam("b_ready"))
)

CLAIM_AT_ONCE = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=1,
        ready=bindparam("b_turn"),
        owner=bindparam("b_owner"),
        fence=chats.c.fence + 1,
        until=now_ms() + bindparam("b_lease"),
    )
)

STOP_TURNS = (
    update(turns)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.finished_at.is_(None))
    .values(state=after(TurnState.RUNNING, TurnEvent.CANCELLED), finished_at=now_ms())
    .returning(turns.c.id)
)

# The fence takes the chat away from whoever works on it: nothing of a stopped turn is written any more.
FREE_CHAT = (
    update(chats)
    .where(chats.c.id == bindparam("b_chat"))
    .values(
        live=0,
        asks=0,
        ready=null(),
        owner=null(),
        until=null(),
        fence=chats.c.fence + 1,
        signals=chats.c.signals + 1,
        epoch=chats.c.epoch + bindparam("b_cut"),
    )
)

CUT_HISTORY = update(chats).where(chats.c.id == bindparam("b_chat")).values(cut=bindparam("b_after"))

BELONGS = update(inbound).where(inbound.c.id == bindparam("b_inbound")).values(turn=bindparam("b_turn"))

INSERT_NOTICE = insert(outbox).values(
    chat=bindparam("chat"),
    inbound=bindparam("inbound"),
    key=bindparam("key"),
    reply=bindparam("reply"),
    state="new",
    created_at=now_ms(),
)

PENDING = (
    select(
        inbound.c.id,
        inbound.c.chat,
        chats.c.channel,
        chats.c.account,
        chats.c.chat_id,
        chats.c.thread_id,
        inbound.c.sender,
        inbound.c.sender_name,
        inbound.c.command,
        inbound.c.arguments,
    )
    .join(chats, chats.c.id == inbound.c.chat)
    .where(literal_column("inbound.pending = 1"))
    .order_by(inbound.c.id)
    .limit(100)
)


def accept(conn: Connection, event: Inbound | Dropped, admission: Admission) -> Accepted:
    """Store the event and what follows from it. The same event again changes nothing but the cursor."""
    chat = _lock(conn, event)
    if chat.asks:
        chat = replace(chat, waits=tuple(waits.open_of_chat(conn, chat.id)))
    if event.cursor is not None:
        place = {"channel": event.chat.channel, "account": event.chat.account}
        conn.execute(MOVE_CURSOR.on(conn), {**place, "scope": event.cursor.scope, "value": event.cursor.value})
    decision = _judge(event, chat, admission)
    choice = admission.choose(chat.model)
    inbound_id = conn.execute(INSERT_INBOUND.on(conn), _inbound_row(event, chat, decision, choice)).scalar()
    if inbound_id is None:
        return Accepted(inbound=0, chat_row=chat.id, duplicate=True)
    match decision:
        case Enqueue(waits_for=name):
            assert isinstance(event, Inbound)
            told = name is not None and _tell(conn, event, chat, inbound_id, name, admission)
            return replace(_enqueue(conn, event, chat, inbound_id, choice, admission), replies=told)
        case Answer():
            assert isinstance(event, Inbound)
            return _answer(conn, event, chat, inbound_id, decision, admission)
        case Cancel():
            return _cancel(conn, chat, inbound_id, decision, admission)
        case Command():
            return Accepted(inbound=inbound_id, chat_row=chat.id, command=True)
        case Drop(reason=reason, notice=notice):
            if notice is not None:
                _notice(conn, chat, inbound_id, says(notice), admission)
            return Accepted(inbound=inbound_id, chat_row=chat.id, dropped=reason, replies=notice is not None)
        case _:
            assert_never(decision)


def pending(conn: Connection) -> list[PendingCommand]:
    """Commands that wait for their performer, oldest first."""
    return [
        PendingCommand(
            inbound=row[0],
            chat_row=row[1],
            chat=chat_key(row[2], row[3], row[4], row[5]),
            sender=Principal(channel=row[2], account=row[3], user_id=row[6], name=row[7]),
            call=CommandCall(name=row[8] or "", arguments=row[9] or ""),
        )
        for row in conn.execute(PENDING)
    ]


def _lock(conn: Connection, event: Inbound | Dropped) -> _Chat:
    key = event.chat
    row = conn.execute(
        LOCK_CHAT.on(conn),
        {
            "channel": key.channel,
            "account": key.account,
            "chat_id": well_formed(key.chat_id),
            "thread_id": well_formed(thread_column(key)),
            "shared": int(isinstance(event, Inbound) and event.shared),
        },
    ).one()
    return _Chat(
        id=row[0],
        fence=row[1],
        signals=row[2],
        ready=row[3],
        live=row[4],
        epoch=row[5],
        asks=row[6],
        cut=row[7],
        model=row[8],
        agent=row[9],
    )


def _judge(event: Inbound | Dropped, chat: _Chat, admission: Admission) -> Decision:
    if isinstance(event, Dropped):
        return Drop(reason=event.reason)
    view = ChatView(live=chat.live, running=chat.ready is not None, waits=[stored.wait for stored in chat.waits])
    return decide(event, view, admission.rules)


def _inbound_row(event: Inbound | Dropped, chat: _Chat, decision: Decision, choice: ModelChoice) -> dict[str, object]:
    call = decision.call if isinstance(decision, Command | Cancel) else None
    row: dict[str, object] = {
        "chat": chat.id,
        "channel": event.chat.channel,
        "account": event.chat.account,
        "event_key": well_formed(event.event_key),
        "sender": "",
        "sender_name": "",
        "kind": "message",
        "lane": "control" if call or isinstance(decision, Answer) else "turn",
        "content": "",
        "attachments": None,
        "reply_to": None,
        "at": event.at,
        "command": call.name if call else None,
        "arguments": well_formed(call.arguments) if call else None,
        "pending": int(isinstance(decision, Command)),
        "drop_reason": decision.reason if isinstance(decision, Drop) else None,
        "choice": codec.choice_text(choice) if isinstance(decision, Enqueue) else None,
    }
    if isinstance(event, Inbound):
        sender = event.sender
        row |= {
            "sender": well_formed(sender.user_id),
            "sender_name": well_formed(sender.name),
            "kind": event.kind.value,
        }
        # What was said by somebody who may not speak is not kept: the reason is enough.
        if not isinstance(decision, Drop) or decision.notice is not None:
            row |= {
                "content": well_formed(event.content),
                "attachments": codec.attachments_text(event.attachments),
                "reply_to": well_formed(event.reply_to) if event.reply_to else None,
            }
    return row


def _enqueue(
    conn: Connection,
    event: Inbound,
    chat: _Chat,
    turn: int,
    choice: ModelChoice,
    admission: Admission,
) -> Accepted:
    at_once = admission.owner is not None and chat.live == 0
    agent = chat.agent or admission.agent(event.chat)
    state = after(TurnState.QUEUED, TurnEvent.CLAIMED) if at_once else TurnState.QUEUED
    conn.execute(
        INSERT_TURN, {"turn": turn, "chat": chat.id, "agent": agent, "state": state.value, "attempt": int(at_once)}
    )
    if not at_once:
        # A waiting turn has cleared `ready`; nothing overtakes it.
        ready = turn if chat.live == 0 else chat.ready
        conn.execute(ENQUEUE, {"b_chat": chat.id, "b_ready": ready})
        return Accepted(inbound=turn, chat_row=chat.id, queued_before=chat.live)
    conn.execute(
        CLAIM_AT_ONCE,
        {"b_chat": chat.id, "b_turn": turn, "b_owner": admission.owner, "b_lease": admission.lease_ms},
    )
    claim = Claim(
        chat_row=chat.id,
        chat=event.chat,
        turn=turn,
        fence=chat.fence + 1,
        signals=chat.signals,
        epoch=chat.epoch,
        cut=chat.cut,
        agent=agent,
        choice=choice,
        attempt=1,
        shared=event.shared,
    )
    return Accepted(inbound=turn, chat_row=chat.id, claim=claim)


def _answer(
    conn: Connection, event: Inbound, chat: _Chat, inbound_id: int, decision: Answer, admission: Admission
) -> Accepted:
    stored = next(one for one in chat.waits if one.wait.id == decision.wait.id)
    closed = Closed(state=WaitState.ANSWERED, answer=decision.given.text, by=event.sender, card=decision.card)
    waits.close(conn, stored, closed, admission.rules.texts)
    conn.execute(BELONGS, {"b_inbound": inbound_id, "b_turn": decision.wait.turn})
    return Accepted(inbound=inbound_id, chat_row=chat.id, resumed=True, replies=True)


def _tell(conn: Connection, event: Inbound, chat: _Chat, inbound_id: int, name: str, admission: Admission) -> bool:
    """Once a person and question: whose answer is waited for, and the place in the queue."""
    if not waits.tell_once(conn, chat.waits, event.sender.user_id):
        return False
    notice = admission.rules.texts.say("waiting_for", name=name, n=chat.live)
    _notice(conn, chat, inbound_id, says(notice), admission)
    return True


def _cancel(conn: Connection, chat: _Chat, inbound_id: int, decision: Cancel, admission: Admission) -> Accepted:
    stopped: tuple[int, ...] = ()
    if chat.live:
        stopped = tuple(conn.execute(STOP_TURNS, {"b_chat": chat.id}).scalars())
    if chat.waits:
        waits.cancel(conn, chat.id, admission.rules.texts)
    if chat.live or decision.cut:
        conn.execute(FREE_CHAT, {"b_chat": chat.id, "b_cut": int(decision.cut)})
    if decision.cut:
        conn.execute(CUT_HISTORY, {"b_chat": chat.id, "b_after": inbound_id})
    _notice(conn, chat, inbound_id, says(decision.notice), admission)
    return Accepted(inbound=inbound_id, chat_row=chat.id, stopped=stopped, replies=True)


def _notice(conn: Connection, chat: _Chat, inbound_id: int, reply: Reply, admission: Admission) -> None:
    conn.execute(
        INSERT_NOTICE,
        {"chat": chat.id, "inbound": inbound_id, "key": admission.key, "reply": codec.reply_text(reply)},
    )
