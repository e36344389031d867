"""What the store knows of a sender, for the gate: nothing is read for whoever the settings let in."""

from sqlalchemy import Connection, bindparam, func, literal, literal_column, select

from core.decide.facts import Lookup, to_know
from core.decide.gate import NOTHING_KNOWN, Known
from core.decide.view import Rules
from core.domain.chat import Role
from core.domain.message import Inbound
from core.domain.text import well_formed
from core.domain.turn import TurnState
from core.store.schema import inbound, pairings, turns
from core.store.sql import now_ms

HOUR_MS = 3600 * 1000

PAIRED = select(pairings.c.role).where(
    pairings.c.channel == bindparam("b_channel"),
    pairings.c.account == bindparam("b_account"),
    pairings.c.user_id == bindparam("b_user"),
)

BOT_TURNS = (
    select(func.count())
    .select_from(inbound)
    .join(turns, turns.c.id == inbound.c.id)
    .where(
        inbound.c.chat == bindparam("b_chat"),
        literal_column("inbound.bot = 1"),
        inbound.c.received_at > now_ms() - HOUR_MS,
    )
)

ANSWERED = (
    select(literal(1))
    .select_from(turns)
    .where(turns.c.chat == bindparam("b_chat"), turns.c.state == TurnState.DONE.value)
    .limit(1)
)


def known_of(conn: Connection, event: Inbound, chat_row: int, rules: Rules) -> Known:
    """One read for each thing that the gate asks for."""
    wanted = to_know(event, rules)
    if not wanted:
        return NOTHING_KNOWN
    return Known(
        paired=paired(conn, event) if Lookup.PAIRED in wanted else None,
        bot_turns=conn.execute(BOT_TURNS, {"b_chat": chat_row}).scalar_one() if Lookup.BOT_TURNS in wanted else 0,
        answered=Lookup.ANSWERED in wanted and conn.execute(ANSWERED, {"b_chat": chat_row}).first() is not None,
    )


def paired(conn: Connection, event: Inbound) -> Role | None:
    """What somebody approved the sender as."""
    sender = event.sender
    who = {"b_channel": sender.channel, "b_account": sender.account, "b_user": well_formed(sender.user_id)}
    role: str | None = conn.execute(PAIRED, who).scalar()
    return Role(role) if role else None
