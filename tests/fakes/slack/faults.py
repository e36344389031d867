"""What goes wrong, and when: each fault is for the next calls of a method, and is used up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fakes.slack.refused import rate_limited


class Fault(StrEnum):
    """REFUSED: an answer and nothing done. CUT_BEFORE: no answer, nothing done. CUT_AFTER: done, and no answer."""

    REFUSED = "refused"
    CUT_BEFORE = "cut before"
    CUT_AFTER = "cut after"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One fault; `channel` narrows it. `status` and `error` are what a refusal says."""

    fault: Fault
    method: str
    channel: str = ""
    status: int = 500
    error: str = "internal_error"
    retry_after: int = 0

    def meets(self, method: str, channel: str) -> bool:
        """Whether this call is meant."""
        return self.method in (method, "*") and self.channel in (channel, "")


@dataclass(eq=False, slots=True)
class Bucket:
    """`burst` calls at once, then one each `every_s`."""

    every_s: float
    burst: int
    used: dict[str, list[float]] = field(default_factory=dict)


class Faults:
    """The plan, and the standing limits by method."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._planned: list[Planned] = []
        self._buckets: dict[str, Bucket] = {}
        self._now = now

    def refuse(self, method: str, error: str, *, status: int = 200, times: int = 1, channel: str = "") -> None:
        """The next calls fail with this."""
        one = Planned(fault=Fault.REFUSED, method=method, channel=channel, status=status, error=error)
        self._planned += [one] * times

    def limit(self, method: str, retry_after: int, *, times: int = 1, channel: str = "") -> None:
        """The next calls are too many."""
        one = Planned(fault=Fault.REFUSED, method=method, channel=channel, retry_after=retry_after)
        self._planned += [one] * times

    def cut(self, method: str, *, after: bool, times: int = 1, channel: str = "") -> None:
        """The connection ends without an answer, before or after the thing is done."""
        one = Planned(fault=Fault.CUT_AFTER if after else Fault.CUT_BEFORE, method=method, channel=channel)
        self._planned += [one] * times

    def pace(self, method: str, *, every_s: float, burst: int) -> None:
        """From now on this method has a limit for each channel."""
        self._buckets[method] = Bucket(every_s, burst)

    def due(self, method: str, channel: str) -> Planned | None:
        """The fault of this call, used up by it."""
        found = next((one for one in self._planned if one.meets(method, channel)), None)
        if found:
            self._planned.remove(found)
        return found

    def spend(self, method: str, channel: str) -> None:
        """Raises ratelimited when the bucket is empty."""
        bucket = self._buckets.get(method)
        if bucket is None:
            return
        now, window = self._now(), bucket.every_s * bucket.burst
        calls = [at for at in bucket.used.get(channel, []) if at > now - window]
        if len(calls) >= bucket.burst:
            raise rate_limited(max(1, round(calls[0] + window - now)))
        bucket.used[channel] = [*calls, now]
