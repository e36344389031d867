"""Bugs that can be planted into a forked gateway, one at a time, to see that the matrix turns red for each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps

from sqlalchemy import Connection

from core.domain.delivery import DeliveryState
from core.domain.errors import StoreError
from core.domain.message import Dropped, Inbound
from core.domain.texts import Texts
from core.ports import Claim, Ending, Finished, Lease
from core.store import claims, endings, inbound_rows, outbox

HASTY = "acknowledged before it is stored"
NO_KEY = "the same event is another one every time"
BLIND = "what was being sent is new again"
SURE = "nothing was ever sent already"
NO_FENCE = "a turn is ended without a look at the fence"

# No bug, but what makes its moments come by more often.
CHECKPOINTS = "the log is written back with every commit"

PLANTS = (HASTY, NO_KEY, BLIND, SURE, NO_FENCE)


def plant(bug: str) -> None:
    """In this process, for good. HASTY and SURE are the channel's own."""
    _PLANTED.get(bug, lambda: None)()


def _no_key() -> None:
    real = inbound_rows._place
    seen: list[str] = []

    def place(event: Inbound | Dropped, chat_row: int) -> dict[str, object]:
        seen.append(event.event_key)
        return real(event, chat_row) | {"event_key": f"{event.event_key}.{id(seen)}.{len(seen)}"}

    vars(inbound_rows)["_place"] = place


def _blind() -> None:
    outbox.UNSETTLE = outbox.UNSETTLE.values(state=DeliveryState.NEW.value)


def _no_fence() -> None:
    real = endings.finish

    @wraps(real)
    def finish(conn: Connection, held: Claim, ending: Ending, key: str, send_now: bool, texts: Texts) -> Finished:
        fence, signals = conn.execute(endings.SIGNALS, {"b_chat": held.chat_row}).one()
        # The log has one place for each step, and would refuse a second last one: the fence is not the only guard.
        held = replace(held, fence=fence, signals=signals)
        return real(conn, held, replace(ending, step=None), key, send_now, texts)

    def renew(conn: Connection, owner: str, lease_ms: int, chat_rows: Sequence[int]) -> dict[int, Lease]:
        raise StoreError("whose lease it is, is not looked at either")

    vars(endings)["finish"] = finish
    vars(claims)["renew"] = wraps(claims.renew)(renew)


_PLANTED: Mapping[str, Callable[[], None]] = {NO_KEY: _no_key, BLIND: _blind, NO_FENCE: _no_fence}
