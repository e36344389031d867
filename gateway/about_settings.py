"""The settings themselves: what was mended while they were read, and agents that they name."""

from collections.abc import Iterator

from core.catalog.agents import FolderAgents
from gateway.answering import refusals
from gateway.findings import Found, fault, good, warning
from gateway.resources import agent_folders
from gateway.settings import Settings


def about_settings(settings: Settings) -> Iterator[Found]:
    """Each thing, good or not."""
    for notice in settings.notices:
        if "is not set" not in notice:
            yield warning("settings", notice, "nothing: it is mended" if "is now" in notice else "do as it says")
    yield good("settings", f"{settings.file} is {'valid' if settings.file.exists() else 'not there: all defaults'}")
    for refusal in refusals(settings, FolderAgents(agent_folders(settings.home))):
        yield fault("agents", str(refusal), "name one that parley agents list shows, or mend its folder")
