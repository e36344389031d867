"""When a part that did not go out is tried again, and when it is given up."""

from core.domain.errors import RateLimited, SendError, Unacceptable, Unreachable

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 15 * 60.0
GIVE_UP_AFTER_MS = 24 * 3600 * 1000


def retry_at(error: SendError, *, attempt: int, created: int, now: int, jitter: float) -> int | None:
    """The time of the next attempt in milliseconds; None when there shall be none.

    Full jitter on 1 s doubled per attempt, at most 15 minutes; what the platform asks for is a floor. A part is given
    up 24 hours after its reply was written, or at once where the platform says that it never will take it.
    """
    if isinstance(error, Unreachable | Unacceptable) or now - created >= GIVE_UP_AFTER_MS:
        return None
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt - 1, 20)) * jitter
    if isinstance(error, RateLimited):
        wait = error.retry_in + jitter
    return now + max(1, round(wait * 1000))
