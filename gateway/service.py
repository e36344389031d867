"""`parley run` with channels: all accounts of the settings, until it is told to end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from channels import registry
from channels.terminal.settings import os_user
from core.domain.errors import SettingsError
from core.models.guide import GUIDE_NAME
from gateway import roles
from gateway.lines import Lines, Load, wanted
from gateway.locks import Place
from gateway.roster import Roster
from gateway.settings import Settings, from_process
from gateway.wiring import Opened, opened


class NoneStarts(SettingsError):
    """No channel can start; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a service has from outside: its channels' specs, how settings are read again, and when that is asked for."""

    load: Load = registry.load
    read: Callable[[], Settings] = from_process
    again: asyncio.Event = field(default_factory=asyncio.Event)


async def serve(settings: Settings, place: Place, outside: Outside) -> int:
    """Until cancelled. Raises NoneStarts before anything runs when no account can."""
    if not wanted(settings):
        raise NoneStarts(f"No channel is configured in {settings.file}")
    # Windows beside this service serve themselves, but their turns are worked on here.
    windows = [(name, os_user()) for name in registry.ATTENDED if registry.load(name).trusted]
    async with opened(Roster(settings, trusted=windows)) as gateway:
        return await _serve(gateway, place, outside)


async def _serve(gateway: Opened, place: Place, outside: Outside) -> int:
    lines = Lines(gateway, outside.load, outside.read)
    try:
        if why := await lines.find():
            raise NoneStarts("; ".join(why))

        async def follow() -> None:
            await lines.follow(outside.again)

        beside = [gateway.conversation.run, follow]
        if gateway.models.describe().name != GUIDE_NAME:
            beside.append(gateway.library.warm)
        async with lines.web():
            await roles.run(gateway.gateway, place, *beside, receives=lines.run)
    finally:
        await lines.close()
    return 0
