"""The rows of what came in."""

from dataclasses import dataclass
from typing import assert_never

from sqlalchemy import Connection, Text, bindparam, literal, select
from sqlalchemy.sql import Executable

from core.decide.decisions import (
    Answer,
    Cancel,
    Collect,
    Command,
    Decision,
    Drop,
    Enqueue,
    Halt,
    Interrupt,
    Overhear,
    Replace,
    Rewind,
    Steer,
    Withdraw,
)
from core.decide.sessions import Rewinding
from core.domain.chat import Role, SenderKind
from core.domain.message import Dropped, Inbound
from core.domain.text import well_formed
from core.domain.turn import ModelChoice
from core.store import codec
from core.store.schema import cursors, inbound, twins
from core.store.sql import PerDialect, UpsertInsert, execute, now_ms

_INBOUND_BINDS = (
    *("chat", "channel", "account", "event_key", "sender", "sender_name", "kind", "lane", "content", "attachments"),
    *("reply_to", "message_id", "at", "command", "arguments", "pending", "drop_reason", "choice", "turn"),
    *("place", "role", "refused", "bot"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was decided about an event, and what its sender was at that moment; None for somebody not let in."""

    decision: Decision
    role: Role | None = None


def _insert_inbound(make: UpsertInsert) -> Executable:
    # The event's own name may be a further name of one that is here already.
    known = select(literal(1)).where(
        twins.c.event_key == bindparam("event_key", type_=Text()),
        twins.c.channel == bindparam("channel", type_=Text()),
        twins.c.account == bindparam("account", type_=Text()),
    )
    values = [bindparam(name, type_=inbound.c[name].type) for name in _INBOUND_BINDS]
    row = make.from_select([*_INBOUND_BINDS, "received_at"], select(*values, now_ms()).where(~known.exists()))
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


def insert(
    conn: Connection, event: Inbound | Dropped, chat_row: int, judged: Judged, choice: ModelChoice
) -> int | None:
    """Store the event and what was decided; its id, or None when it was stored before."""
    row = _place(event, chat_row) | _verdict(judged.decision, choice)
    if isinstance(event, Inbound):
        row |= _said(event, judged.decision) | {"role": judged.role.value if judged.role else None}
    found: int | None = execute(conn, INSERT_INBOUND.on(conn), row).scalar()
    return found


def move_cursor(conn: Connection, event: Inbound | Dropped) -> None:
    """Where the channel goes on reading, if the event says so; also for an event that was stored before."""
    if event.cursor is not None:
        place = {"channel": event.chat.channel, "account": event.chat.account}
        for move in (event.cursor, *event.cursor.also):
            row = {**place, "scope": well_formed(move.scope), "value": well_formed(move.value)}
            execute(conn, MOVE_CURSOR.on(conn), row)


def _place(event: Inbound | Dropped, chat_row: int) -> dict[str, object]:
    return {
        "chat": chat_row,
        "channel": event.chat.channel,
        "account": event.chat.account,
        "event_key": well_formed(event.event_key),
        "at": event.at,
        "sender": "",
        "sender_name": "",
        "kind": "message",
        "content": "",
        "attachments": None,
        "reply_to": None,
        "message_id": None,
        "place": None,
        "role": None,
        "bot": 0,
    }


def _verdict(decision: Decision, choice: ModelChoice) -> dict[str, object]:
    call = decision.call if isinstance(decision, Command | Cancel | Rewind) else None
    return {
        "lane": _lane(decision),
        "command": call.name if call else None,
        "arguments": well_formed(call.arguments) if call else None,
        "pending": int(isinstance(decision, Command)),
        "drop_reason": decision.reason if isinstance(decision, Drop) else None,
        "choice": codec.choice_text(choice) if _heads_turn(decision) else None,
        "turn": _turn(decision),
        "refused": int(isinstance(decision, Drop) and decision.refusal),
    }


def _heads_turn(decision: Decision) -> bool:
    """Whether a turn can have its id. What is kept of a drop may be taken up later, with the models of today."""
    match decision:
        case Enqueue() | Interrupt():
            return True
        case Rewind(to=to):
            return to is Rewinding.RETRY
        case Drop(kept=kept):
            return kept
        case _:
            return False


def _lane(decision: Decision) -> str:
    match decision:
        case Enqueue() | Collect() | Interrupt() | Drop():
            return "turn"
        case Steer():
            return "steer"
        case Overhear():
            return "context"
        case Command() | Cancel() | Rewind() | Answer() | Replace() | Withdraw() | Halt():
            return "control"
        case _:
            assert_never(decision)


def _turn(decision: Decision) -> int | None:
    """The turn of others that it belongs to; None where it heads one, and where it belongs to none."""
    match decision:
        case Collect(turn=turn) | Steer(turn=turn) | Replace(turn=turn) | Withdraw(turn=turn) | Halt(turn=turn):
            return turn
        case Answer(wait=wait):
            return wait.turn
        case Enqueue() | Interrupt() | Command() | Cancel() | Rewind() | Overhear() | Drop():
            return None
        case _:
            assert_never(decision)


def _words(event: Inbound, decision: Decision) -> str:
    match decision:
        case Steer(said=str(said)) | Enqueue(said=str(said)) | Collect(said=str(said)):
            return said
        case Interrupt(then=Enqueue(said=str(said))):
            return said
        case _:
            return event.content


def _said(event: Inbound, decision: Decision) -> dict[str, object]:
    row: dict[str, object] = {
        "sender": well_formed(event.sender.user_id),
        "sender_name": well_formed(event.sender.name),
        "kind": event.kind.value,
        "place": well_formed(event.place) if event.place is not None else None,
        "bot": int(event.sender.kind is SenderKind.BOT),
    }
    # What was said by somebody who may not speak is not kept: the reason is enough.
    if not isinstance(decision, Drop) or decision.kept or (decision.notice is not None and not decision.refusal):
        row |= {
            "content": well_formed(_words(event, decision)),
            "attachments": codec.attachments_text(event.attachments),
            "reply_to": well_formed(event.reply_to) if event.reply_to else None,
            "message_id": well_formed(event.message_id) if event.message_id else None,
        }
    return row
