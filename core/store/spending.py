"""What models were paid for in a chat. A turn counts where its first message stands, whenever it was answered."""

from collections.abc import Iterable

from sqlalchemy import Connection, Select, bindparam, literal_column, select

from core.domain.chat import Principal
from core.domain.step import ModelAnswered
from core.domain.turn import Usage
from core.store import codec
from core.store.schema import chats, inbound, steps, turns

_ANSWERED = steps.c.kind == literal_column("'model_answered'")

USED_HERE: Select[str] = (
    select(steps.c.body)
    .select_from(chats)
    .join(turns, (turns.c.chat == chats.c.id) & (turns.c.session == chats.c.session))
    .join(steps, steps.c.turn == turns.c.id)
    .where(chats.c.id == bindparam("b_chat"), _ANSWERED)
)

LAST_BEFORE = (
    select(inbound.c.id)
    .where(inbound.c.chat == bindparam("b_chat"), inbound.c.received_at < bindparam("b_since"))
    .order_by(inbound.c.id.desc())
    .limit(1)
)

USED_AFTER: Select[str] = (
    select(steps.c.body)
    .select_from(inbound)
    .join(steps, steps.c.turn == inbound.c.id)
    .where(inbound.c.chat == bindparam("b_chat"), inbound.c.id > bindparam("b_after"), _ANSWERED)
)


# The predicate of the index stands there word for word.
USED_BY: Select[str] = (
    select(steps.c.body)
    .select_from(inbound)
    .join(steps, steps.c.turn == inbound.c.id)
    .where(
        inbound.c.sender == bindparam("b_user"),
        inbound.c.channel == bindparam("b_channel"),
        inbound.c.account == bindparam("b_account"),
        inbound.c.received_at >= bindparam("b_since"),
        literal_column("inbound.role IS NOT NULL"),
        _ANSWERED,
    )
)


def used_by(conn: Connection, person: Principal, since: int) -> Usage:
    """By what this person has begun at that time or later."""
    who = {"b_user": person.user_id, "b_channel": person.channel, "b_account": person.account}
    return _sum(conn.execute(USED_BY, {**who, "b_since": since}).scalars())


def used_here(conn: Connection, chat_row: int) -> Usage:
    """By the current session."""
    return _sum(conn.execute(USED_HERE, {"b_chat": chat_row}).scalars())


def used_since(conn: Connection, chat_row: int, since: int) -> Usage:
    """By the messages that came at that time or later."""
    after = conn.execute(LAST_BEFORE, {"b_chat": chat_row, "b_since": since}).scalar() or 0
    return _sum(conn.execute(USED_AFTER, {"b_chat": chat_row, "b_after": after}).scalars())


def _sum(bodies: Iterable[str]) -> Usage:
    prompt = completion = 0
    cost = 0.0
    for body in bodies:
        step = codec.step_value(body)
        if isinstance(step, ModelAnswered):
            prompt += step.usage.prompt_tokens
            completion += step.usage.completion_tokens
            cost += step.usage.cost
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cost=cost)
