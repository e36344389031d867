"""The whole examination, in the order in which things depend on each other."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from core.domain.errors import SettingsError
from gateway.about_accounts import LOAD, Load, accounts
from gateway.about_machine import Free, free, machine
from gateway.about_models import model
from gateway.about_settings import about_settings
from gateway.about_store import memory, now
from gateway.findings import Found, fault
from gateway.settings import Settings, from_process


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What an examination looks at."""

    read: Callable[[], Settings] = from_process
    load: Load = LOAD
    free: Free = free
    now: Callable[[], int] = now


async def examine(around: Around, *, deep: bool) -> AsyncIterator[Found]:
    """Each finding as soon as it is made. Wrong settings are one too: what needs them is not looked at then."""
    try:
        settings = around.read()
    except SettingsError as error:
        yield fault("settings", str(error), "change that line as it says")
        return
    for found in (*about_settings(settings), *machine(settings, around.free)):
        yield found
    for part in (
        memory(settings, around.now, deep=deep),
        model(settings, deep=deep),
        accounts(settings, around.load, deep=deep),
    ):
        async for found in part:
            yield found
