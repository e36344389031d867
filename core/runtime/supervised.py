"""The one place of the runtime where anything may be caught: a bug in one piece of work must not end the others."""

from collections.abc import Awaitable
from enum import Enum
from typing import Literal, TypeVar

import structlog

from core.domain.errors import ParleyError

ResultT = TypeVar("ResultT")

log = structlog.get_logger(__name__)


class Outcome(Enum):
    """What stands in place of a result that there is not."""

    BROKEN = "broken"


BROKEN: Literal[Outcome.BROKEN] = Outcome.BROKEN


async def supervised(work: Awaitable[ResultT], event: str) -> ResultT | Literal[Outcome.BROKEN]:
    """The work's result, or BROKEN after it raised: logged as `event`, a bug with its traceback. Cancelling passes."""
    try:
        return await work
    except Exception as exc:  # supervisor: whoever calls this accounts for what is broken
        if isinstance(exc, ParleyError):
            log.error(event, error=str(exc))
        else:
            log.exception(event)
        return BROKEN
