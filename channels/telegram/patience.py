"""Tries again until it works."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from core.domain.errors import SendError
from core.ports import Clock

log = structlog.get_logger(__name__)

ResultT = TypeVar("ResultT")

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


async def persist(call: Callable[[], Awaitable[ResultT]], clock: Clock, event: str) -> ResultT:
    """With growing pauses; why it does not work is logged once for each reason."""
    pause, told = FIRST_PAUSE_S, ""
    while True:
        try:
            return await call()
        except SendError as exc:
            if str(exc) != told:
                told = str(exc)
                log.warning(event, reason=told)
            await clock.sleep(pause)
            pause = min(LONGEST_PAUSE_S, 2 * pause)
