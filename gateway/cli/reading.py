"""Verbs that look into the store beside a running gateway."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from core.runtime.ambient import SystemClock
from core.store.store import Store, open_sqlite
from gateway.cli.opening import logging_of
from gateway.settings import Settings

T = TypeVar("T")


def ask(settings: Settings, question: Callable[[Store], Awaitable[T]]) -> T | None:
    """The answer of the store; None when nothing was ever stored. Raises StoreError."""
    if not settings.database.exists():
        return None
    # What is logged meanwhile belongs into the log: standard output is the verb's answer.
    with logging_of(settings):
        return asyncio.run(_ask(settings, question))


async def _ask(settings: Settings, question: Callable[[Store], Awaitable[T]]) -> T:
    store = open_sqlite(settings.database, SystemClock(), relaxed=settings.store.durability == "relaxed")
    try:
        return await question(store)
    finally:
        store.close()
