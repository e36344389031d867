"""Words to the person that are all there is to say to an event."""

from dataclasses import replace

from sqlalchemy import Connection

from core.ports import Accepted
from core.store.notices import notice
from core.store.stored import Stored


def tell(conn: Connection, stored: Stored, text: str, stopped: tuple[int, ...] = ()) -> Accepted:
    """`stopped` are turns that the event ended."""
    notice(conn, stored.chat.id, stored.id, text, stored.admission.key, answers=stored.event.event_key)
    return replace(stored.accepted(), stopped=stopped, replies=True)
