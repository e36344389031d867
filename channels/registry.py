"""Every channel by its name, loaded when it is first asked for: a platform's library costs nothing until then."""

import difflib
import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from channels.contract import ChannelSpec
from core.domain.errors import SettingsError

CHANNELS: Mapping[str, str] = MappingProxyType(
    {
        "discord": "channels.discord:SPEC",
        "email": "channels.email:SPEC",
        "slack": "channels.slack:SPEC",
        "telegram": "channels.telegram:SPEC",
        "terminal": "channels.terminal:SPEC",
    }
)

# The same channels where a person sits in front of this very process.
ATTENDED: Mapping[str, str] = MappingProxyType(
    {
        "terminal": "channels.terminal.attended:SPEC",
    }
)


def load(name: str, *, attended: bool = False) -> ChannelSpec[Any]:
    """The channel's spec. `attended` asks for the form for a person at this process's terminal, where there is one.

    Raises SettingsError for a name that is no channel.
    """
    place = CHANNELS.get(name)
    if place is None:
        raise SettingsError(_unknown(name))
    module, attribute = (ATTENDED.get(name, place) if attended else place).split(":")
    spec = getattr(importlib.import_module(module), attribute)
    if not isinstance(spec, ChannelSpec):
        raise TypeError(f"{place} is not a ChannelSpec")
    return spec


def windowed(name: str) -> bool:
    """Whether windows open this channel for themselves, so that no service does."""
    return name in ATTENDED


def _unknown(name: str) -> str:
    known = ", ".join(sorted(CHANNELS))
    near = difflib.get_close_matches(name.lower(), CHANNELS, n=1)
    hint = f" Did you mean [channels.{near[0]}]?" if near else ""
    return f"[channels.{name}]: there is no channel of this name.{hint} Known channels: {known}."
