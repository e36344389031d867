"""Which model answers, and why."""

import asyncio

from core.models.litellm import Library
from core.models.registry import Active, make_registry
from gateway.settings import Settings


def active_model(settings: Settings) -> Active:
    """As a gateway of these settings would choose it; without any model or key, an Ollama here is asked (200 ms)."""
    return asyncio.run(_active(settings))


async def _active(settings: Settings) -> Active:
    registry = await make_registry(
        settings.model_entries(), default=settings.model, env=settings.env.get, library=Library()
    )
    return registry.describe()
