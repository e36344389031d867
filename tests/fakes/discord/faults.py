"""What goes wrong, and when: each fault is for the next calls to a route, and is used up."""

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fakes.discord.refused import Refused, rate_limited

ROOMY = (1_000, 1.0)


class Fault(StrEnum):
    """REFUSED: an answer and nothing done. CUT_BEFORE: no answer, nothing done. CUT_AFTER: done, and no answer."""

    REFUSED = "refused"
    CUT_BEFORE = "cut before"
    CUT_AFTER = "cut after"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One fault of the calls with this method whose path holds these words."""

    fault: Fault
    method: str
    path: str
    refused: Refused | None = None


@dataclass(eq=False, slots=True)
class Bucket:
    """So many calls in so many seconds."""

    limit: int
    within: float
    name: str
    calls: list[float] = field(default_factory=list)

    def spend(self, now: float) -> Mapping[str, str]:
        """The headers of an answer. Raises a rate limit when nothing is left."""
        self.calls = [at for at in self.calls if at > now - self.within]
        if len(self.calls) >= self.limit:
            refused = rate_limited(round(self.calls[0] + self.within - now, 3) or 0.001)
            refused.headers |= self._headers(now)
            raise refused
        self.calls.append(now)
        return self._headers(now)

    def _headers(self, now: float) -> dict[str, str]:
        after = self.calls[0] + self.within - now
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - len(self.calls)),
            "X-RateLimit-Reset": f"{math.floor(time.time() + after)}",
            "X-RateLimit-Reset-After": f"{after:.3f}",
            "X-RateLimit-Bucket": self.name,
        }


class Faults:
    """The plan, and the standing limits by route; `banned` counts what Discord bans for: 401, 403 and 429."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self.banned = 0
        self._planned: list[Planned] = []
        self._limits: dict[tuple[str, str], tuple[int, float]] = {}
        self._buckets: dict[tuple[str, str, str], Bucket] = {}
        self._now = now

    def refuse(self, method: str, path: str, refused: Refused, *, times: int = 1) -> None:
        """The next calls fail with this."""
        self._planned += [Planned(fault=Fault.REFUSED, method=method, path=path, refused=refused)] * times

    def cut(self, method: str, path: str, *, after: bool, times: int = 1) -> None:
        """The connection ends without an answer, before or after the thing is done."""
        fault = Fault.CUT_AFTER if after else Fault.CUT_BEFORE
        self._planned += [Planned(fault=fault, method=method, path=path)] * times

    def pace(self, method: str, template: str, *, limit: int, within: float) -> None:
        """From now on this route has such a limit for each channel, guild or webhook."""
        self._limits[method, template] = (limit, within)
        self._buckets.clear()

    def due(self, method: str, path: str) -> Planned | None:
        """The fault of this call, used up by it."""
        found = next((one for one in self._planned if one.method in (method, "*") and one.path in path), None)
        if found:
            self._planned.remove(found)
        return found

    def spend(self, method: str, template: str, major: str) -> Mapping[str, str]:
        """The headers of the bucket, one call less in it. Raises a rate limit."""
        limit, within = self._limits.get((method, template), ROOMY)
        name = hashlib.sha256(f"{method} {template}".encode()).hexdigest()[:32]
        bucket = self._buckets.setdefault((method, template, major), Bucket(limit, within, name))
        return bucket.spend(self._now())
