"""When a part that did not go out is tried again, in which form, and when it is given up."""

import math
from dataclasses import replace
from enum import StrEnum

from core.domain.delivery import Settled
from core.domain.errors import RateLimited, SendError, Unacceptable, Unreachable
from core.domain.message import Reply, Text, plain
from core.domain.pace import Once

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


def settle(settled: Settled, repeat: int, once: Once = Once.REPEAT) -> Verdict:
    """A channel that cannot tell is left alone once, then gets one labelled repeat, and never a second.

    With `Once.HOLD` it gets none.
    """
    match settled:
        case Settled.SENT:
            return Verdict.SENT
        case Settled.NOT_SENT:
            return Verdict.SEND
        case Settled.UNKNOWN:
            return Verdict.GIVE_UP if once is Once.HOLD else _UNKNOWN[min(repeat, 2)]


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


def without_markup(reply: Reply) -> Reply:
    """The reply as literal text: what a platform may still take when it refuses the other form."""
    return replace(reply, fragments=(Text(text=plain(reply)),) if reply.fragments else ())


def falls_back(error: SendError, reply: Reply, *, plain: bool) -> bool:
    """Whether the reply is tried as literal text: once, and only where that is another form."""
    marked_up = any(not isinstance(fragment, Text) for fragment in reply.fragments)
    return isinstance(error, Unacceptable) and marked_up and not plain


def goes_on_at(part: int, *, before: int, now: int) -> int:
    """Where a reply of `before` parts, of which `part` are out, goes on when it is cut anew into `now` parts.

    Rather a few words twice at the seam than any left out.
    """
    return min(part, part * now // before, now - 1)
