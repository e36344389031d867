"""Waiting for what a dialogue does not show."""

import asyncio

from core.models.scripted import ScriptedModel


async def asked(model: ScriptedModel, times: int = 1) -> None:
    """Until the model was asked so often."""
    while model.asked < times:
        await asyncio.sleep(0)
