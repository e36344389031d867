"""What goes wrong, and when: each fault is for the next calls of a method, and is used up; limits stand."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fakes.telegram.refused import Refused, too_many

# What the documents say of the pace: https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
CHAT_S, GROUP_A_MINUTE, OVERALL_A_SECOND = 1.0, 20, 30


class Fault(StrEnum):
    """REFUSED: an answer, nothing done. BEFORE: no answer, nothing done. AFTER: done, no answer. LATE: done, answered
    only when the gate opens."""

    REFUSED = "refused"
    BEFORE = "before"
    AFTER = "after"
    LATE = "late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One fault; `chat` narrows it. `refusal` is what a refused call hears, `gate` what a late answer waits for."""

    fault: Fault
    method: str
    chat: str = ""
    refusal: Refused | None = None
    gate: asyncio.Event | None = field(default=None, hash=False)

    def meets(self, method: str, chat: str) -> bool:
        """Whether this call is meant."""
        return self.method.lower() in (method, "*") and self.chat in (chat, "")


class Faults:
    """The plan, and the standing limits once `paced` is set."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self.paced = False
        self._planned: list[Planned] = []
        self._calls: dict[str, list[float]] = {}
        self._now = now

    def refuse(self, method: str, code: int, description: str, *, times: int = 1, chat: str = "") -> None:
        """The next calls fail with this."""
        refusal = Refused(code, description)
        self._planned += [Planned(fault=Fault.REFUSED, method=method, chat=chat, refusal=refusal)] * times

    def limit(self, method: str, retry_after: int, *, times: int = 1, chat: str = "") -> None:
        """The next calls are too many."""
        refusal = too_many(retry_after)
        self._planned += [Planned(fault=Fault.REFUSED, method=method, chat=chat, refusal=refusal)] * times

    def cut(self, method: str, *, after: bool, times: int = 1, chat: str = "") -> None:
        """The connection ends without an answer, before or after the thing is done."""
        self._planned += [Planned(fault=Fault.AFTER if after else Fault.BEFORE, method=method, chat=chat)] * times

    def delay(self, method: str, *, chat: str = "") -> asyncio.Event:
        """The next call is done at once and answered when the event is set."""
        gate = asyncio.Event()
        self._planned.append(Planned(fault=Fault.LATE, method=method, chat=chat, gate=gate))
        return gate

    def due(self, method: str, chat: str) -> Planned | None:
        """The fault of this call, used up by it."""
        found = next((one for one in self._planned if one.meets(method, chat)), None)
        if found:
            self._planned.remove(found)
        return found

    def spend(self, chat: str) -> None:
        """Counts one message. Raises too_many when the chat, the group or the bot has no more."""
        if not self.paced:
            return
        buckets = [(f"chat {chat}", CHAT_S, 1), ("all", 1.0, OVERALL_A_SECOND)]
        if chat.startswith("-"):
            buckets[0] = (f"chat {chat}", 60.0, GROUP_A_MINUTE)
        for name, window, most in buckets:
            recent = [at for at in self._calls.get(name, []) if at > self._now() - window]
            self._calls[name] = recent
            if len(recent) >= most:
                raise too_many(max(1, math.ceil(recent[0] + window - self._now())))
        for name, _, _ in buckets:
            self._calls[name].append(self._now())
