"""Verbs that look into the store beside a running gateway."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from core.runtime.ambient import SystemClock
from core.store.store import Store, open_sqlite
from gateway.settings import Settings

T = TypeVar("T")


def ask(settings: Settings, question: Callable[[Store], Awaitable[T]]) -> T | None:
    """The answer of the store; None when nothing was ever stored. Raises StoreError."""
    return asyncio.run(_ask(settings, question)) if settings.database.exists() else None


async def _ask(settings: Settings, question: Callable[[Store], Awaitable[T]]) -> T:
    store = open_sqlite(settings.database, SystemClock(), relaxed=settings.store.durability == "relaxed")
    try:
        return await question(store)
    finally:
        store.close()
