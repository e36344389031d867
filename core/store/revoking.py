"""Somebody is let in no more, and what runs for them ends."""

from sqlalchemy import Connection, bindparam, literal_column, select

from core.domain.chat import Principal
from core.domain.message import Dropped
from core.domain.texts import Texts
from core.store import pairing
from core.store.changing import LEAVE_QUEUE
from core.store.chat_lock import lock
from core.store.halting import STOP_TURN, halt
from core.store.rows import chat_key
from core.store.schema import chats, inbound, turns

THEIRS = (
    select(turns.c.id, turns.c.chat, chats.c.channel, chats.c.account, chats.c.chat_id, chats.c.thread_id)
    .join(inbound, inbound.c.id == turns.c.id)
    .join(chats, chats.c.id == turns.c.chat)
    .where(
        turns.c.finished_at.is_(None),
        inbound.c.sender == bindparam("b_user"),
        inbound.c.channel == bindparam("b_channel"),
        inbound.c.account == bindparam("b_account"),
        literal_column("inbound.role IS NOT NULL"),
    )
)


def revoke(conn: Connection, pairing_id: int, texts: Texts) -> tuple[Principal, int] | None:
    """Who it was, and how many of their turns were stopped; None where nobody of that number was let in."""
    person = pairing.revoke(conn, pairing_id)
    if person is None:
        return None
    who = {"b_channel": person.channel, "b_account": person.account, "b_user": person.user_id}
    # Newest first: what waits is gone before what runs would hand the chat over to it.
    theirs = sorted(conn.execute(THEIRS, who).all(), reverse=True)
    for turn, _, channel, account, chat_id, thread_id in theirs:
        key = chat_key(channel, account, chat_id, thread_id)
        chat = lock(conn, Dropped(reason="revoked", event_key="", chat=key, at=0))
        if turn == chat.ready or any(stored.wait.turn == turn for stored in chat.waits):
            halt(conn, chat, turn, texts)
        else:
            conn.execute(STOP_TURN, {"b_turn": turn})
            conn.execute(LEAVE_QUEUE, {"b_chat": chat.id, "b_turn": turn})
    return person, len(theirs)
