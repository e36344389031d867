"""Every channel by its name, loaded when it is first asked for: a platform's library costs nothing until then."""

import difflib
import importlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from channels.contract import ChannelSpec
from channels.markup.sheet import Part
from core.domain.errors import SettingsError
from core.domain.message import Fragment

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

# How each draws Markdown: known without loading the platform's library.
RENDERERS: Mapping[str, str] = MappingProxyType(
    {
        "discord": "channels.markup.discord:parts",
        "email": "channels.markup.email:parts",
        "slack": "channels.markup.slack:parts",
        "telegram": "channels.markup.telegram:parts",
        "terminal": "channels.markup.plain:parts",
    }
)


class Renders(Protocol):
    """Draws a reply's fragments as messages of one platform; without a limit, that of the platform holds."""

    def __call__(self, fragments: Sequence[Fragment], limit: int = ..., *, last: int = 0) -> Sequence[Part]: ...


def renderer(name: str) -> Renders:
    """What draws Markdown for this channel. Raises SettingsError for a name that is no channel."""
    place = RENDERERS.get(name)
    if place is None:
        raise SettingsError(_unknown(name))
    module, attribute = place.split(":")
    found: Renders = getattr(importlib.import_module(module), attribute)
    return found


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
