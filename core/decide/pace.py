"""When the next call to a platform may go: a bucket of calls that fills again with time.

A bucket is one number, the moment in milliseconds at which it will be full again; one that nobody used is full at 0.
"""

from core.domain.pace import Pace


def free_at(full_at: float, pace: Pace, now: int) -> float:
    """The earliest moment for the next call; not after `now` when it may go at once."""
    return _bounded(full_at, pace, now) - (pace.burst - 1) * _every_ms(pace)


def after_call(full_at: float, pace: Pace, now: int) -> float:
    """The bucket once a call went out."""
    return max(_bounded(full_at, pace, now), float(now)) + _every_ms(pace)


def at_call(full_at: float, pace: Pace, now: int) -> float:
    """The bucket when a call goes out that was counted a little earlier."""
    return max(full_at, now + _every_ms(pace))


def without_call(full_at: float, pace: Pace) -> float:
    """The bucket when nothing came of a call that was counted."""
    return full_at - _every_ms(pace)


def _every_ms(pace: Pace) -> float:
    return 1000 / pace.per_s


def _bounded(full_at: float, pace: Pace, now: int) -> float:
    """No bucket is emptier than empty: what says so was counted before the clock was set back."""
    return min(full_at, now + pace.burst * _every_ms(pace))
