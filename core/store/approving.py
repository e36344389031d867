"""Approvals as the operator sees and decides them, beside a running gateway."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from core.decide.waits import ALWAYS, closed_card, taken
from core.domain.chat import Principal
from core.domain.texts import Texts
from core.domain.wait import WaitKind, WaitState
from core.store import grants, waits
from core.store.schema import chats
from core.store.schema import waits as table
from core.store.wait_rows import FOUND, stored_wait

OPERATOR = "operator"

OPEN = (
    select(*FOUND, chats.c.channel, chats.c.account, chats.c.chat_id)
    .join(chats, chats.c.id == table.c.chat)
    .where(table.c.closed_at.is_(None), table.c.kind == WaitKind.APPROVAL.value)
    .order_by(table.c.id)
    .limit(bindparam("b_limit"))
)

ONE = (
    select(*FOUND, chats.c.channel, chats.c.account, chats.c.chat_id)
    .join(chats, chats.c.id == table.c.chat)
    .where(table.c.id == bindparam("b_id"), table.c.closed_at.is_(None), table.c.kind == WaitKind.APPROVAL.value)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalLine:
    """An open approval as an operator sees it; `shown` is exactly what would run."""

    id: int
    channel: str
    chat: str
    tool: str
    asker: str
    shown: str
    digest: str
    deadline: int | None


def listed(conn: Connection, limit: int) -> list[ApprovalLine]:
    """What waits for a yes, oldest first."""
    lines = []
    for row in conn.execute(OPEN, {"b_limit": limit}):
        question = stored_wait(row).wait.question
        lines.append(
            ApprovalLine(
                id=row.id,
                channel=row.channel,
                chat=row.chat_id,
                tool=question.tool,
                asker=question.asked.user_id,
                shown=question.shown,
                digest=question.digest or "",
                deadline=row.deadline,
            )
        )
    return lines


def decide(conn: Connection, wait_id: int, place: int, texts: Texts) -> bool:
    """The operator takes the choice at that place; False when no such approval is open."""
    row = conn.execute(ONE, {"b_id": wait_id}).one_or_none()
    if row is None:
        return False
    stored = stored_wait(row)
    question = stored.wait.question
    who = Principal(channel=row.channel, account=row.account, user_id=OPERATOR)
    given = taken(question, place)
    ended = waits.Closed(
        state=WaitState.ANSWERED, answer=given.text, by=who, card=closed_card(question, given, who, texts)
    )
    if not waits.close(conn, stored, ended, texts):
        return False
    if place == ALWAYS:
        grants.grant(conn, stored.chat_row, question, OPERATOR)
    return True
