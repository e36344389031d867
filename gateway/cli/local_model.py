"""The model that runs on this machine: its weights, and its section in parley.toml."""

import asyncio
from pathlib import Path
from typing import Final

from core.domain.errors import SettingsError
from core.models.local import LOCAL_MODEL
from core.models.weights import fetch_weights
from gateway.settings import Settings
from gateway.settings_edit import with_section

LOCAL_NAME: Final = "local"


def fetched(settings: Settings) -> Path:
    """The weights, fetched unless they are there. Raises SettingsError or ModelError."""
    return asyncio.run(fetch_weights(settings.home.weights))


def with_local(settings: Settings) -> str | None:
    """The settings file with the local model in it; None when it is there already. Raises SettingsError."""
    present = settings.models.get(LOCAL_NAME)
    if present is None:
        lines = {"model": f'"{LOCAL_MODEL}"'}
        return with_section(settings.source.text, f"models.{LOCAL_NAME}", lines, "A small model on this machine.")
    if present.model != LOCAL_MODEL or present.api_base is not None:
        text = f"{settings.file}: models.{LOCAL_NAME} is another model already: give that section another name"
        raise SettingsError(text)
    return None
