"""Waiting for a store that cannot be written now: what was done outside must not be forgotten."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from core.domain.errors import StoreError
from core.ports import Clock

ResultT = TypeVar("ResultT")

log = structlog.get_logger(__name__)

STORE_RETRY_S = 1.0


class LeaseLost(Exception):
    """The chat is not ours any more; nothing more is written."""


async def persist(operation: Callable[[], Awaitable[ResultT]], clock: Clock) -> ResultT:
    """Repeat a store operation until it is committed. Nothing is acknowledged or done again meanwhile."""
    while True:
        try:
            return await operation()
        except StoreError as exc:
            log.warning("store.refused", error=str(exc))
            await clock.sleep(STORE_RETRY_S)
