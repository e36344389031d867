"""When a part that did not go out is tried again, and when it is given up."""

import math
from enum import StrEnum

from core.domain.delivery import Settled
from core.domain.errors import RateLimited, SendError, Unacceptable, Unreachable

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 15 * 60.0
LONGEST_ASKED_S = 366 * 24 * 3600.0
GIVE_UP_AFTER_MS = 24 * 3600 * 1000


class Verdict(StrEnum):
    """What becomes of a part whose fate was unknown."""

    SENT = "sent"
    SEND = "send"
    LEAVE = "leave"
    REPEAT = "repeat"
    GIVE_UP = "give_up"


_UNKNOWN = (Verdict.LEAVE, Verdict.REPEAT, Verdict.GIVE_UP)


def settle(settled: Settled, repeat: int) -> Verdict:
    """A channel that cannot tell is left alone once, then gets one labelled repeat, and never a second."""
    match settled:
        case Settled.SENT:
            return Verdict.SENT
        case Settled.NOT_SENT:
            return Verdict.SEND
        case Settled.UNKNOWN:
            return _UNKNOWN[min(repeat, 2)]


def retry_at(error: SendError, *, attempt: int, created: int, now: int, jitter: float) -> int | None:
    """The time of the next attempt in milliseconds; None when there shall be none.

    Full jitter on 1 s doubled per attempt, at most 15 minutes; what the platform asks for is a floor. A part is given
    up 24 hours after its reply was written, or at once where the platform says that it never will take it.
    """
    if isinstance(error, Unreachable | Unacceptable) or now - created >= GIVE_UP_AFTER_MS:
        return None
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt - 1, 20)) * jitter
    if isinstance(error, RateLimited):
        asked = error.retry_in if math.isfinite(error.retry_in) else LONGEST_ASKED_S
        wait = min(max(asked, 0.0), LONGEST_ASKED_S) + jitter
    return now + max(1, round(wait * 1000))
