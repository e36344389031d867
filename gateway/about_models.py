"""The models: whether one is there, has its key, and answers."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from core.domain.errors import ModelError
from core.domain.prompt import Prompt, PromptMessage
from core.models.entry import ModelEntry
from core.models.guide import GUIDE_NAME
from core.models.litellm import Library
from core.models.registry import Active, Registry, make_registry
from gateway.findings import Found, fault, good, warning
from gateway.settings import Settings

CONNECT_S: Final = 5.0
HELLO: Final = Prompt(messages=(PromptMessage(role="user", content="Say OK."),))


async def model(settings: Settings, *, deep: bool) -> AsyncIterator[Found]:
    """Each thing, good or not; `deep` asks the default model a short question, which may cost a little."""
    for found in _keys(settings):
        yield found
    entries = settings.model_entries()
    library = Library()
    try:
        registry = await make_registry(entries, default=settings.model, env=settings.env.get, library=library)
        active = registry.describe()
        if active.name == GUIDE_NAME:
            fix = (
                f"set a provider's key (see README), add [models.NAME] to {settings.file}, or: parley models add local"
            )
            yield warning("model", "there is no model: a built-in guide answers", fix)
            return
        unreachable = [found async for found in _servers(entries)]
        for found in unreachable:
            yield found
        if not unreachable:
            yield await _asked(registry, active) if deep else good("model", f"{active.name} ({active.model}) is set up")
    finally:
        await library.close()


def _keys(settings: Settings) -> Iterator[Found]:
    for name, section in settings.models.items():
        if section.api_key_env and settings.env.get(section.api_key_env) is None:
            key = f"models.{name}.api_key_env"
            yield fault("model", f"{key} names {section.api_key_env}, which is not set", f"set {section.api_key_env}")


async def _asked(registry: Registry, active: Active) -> Found:
    try:
        await registry.get(active.name).answer(HELLO, None)
    except ModelError as error:
        return fault("model", f"{active.name} does not answer: {error}", f"mend [models.{active.name}]")
    return good("model", f"{active.name} ({active.model}) answers")


async def _servers(entries: Sequence[ModelEntry]) -> AsyncIterator[Found]:
    """Those with an address of their own: is anybody there?"""
    for entry in entries:
        address = urlsplit(entry.api_base or "")
        if not address.hostname:
            continue
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(address.hostname, port)
        except (OSError, TimeoutError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "no answer"
            what = f"nobody answers at {address.hostname}:{port} ({reason})"
            yield fault("model", what, f"start that server, or mend models.{entry.name}.api_base")
            continue
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
