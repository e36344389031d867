"""What every verb that reads the settings begins with."""

from contextlib import AbstractContextManager

from gateway.cli.output import complain
from gateway.logs import console, logging_to
from gateway.redaction import Redactor
from gateway.settings import Settings, from_process


def opened() -> Settings:
    """The settings of this process; what was mended while reading them, and what is odd, goes to standard error."""
    settings = from_process()
    for notice in settings.notices:
        complain(notice)
    return settings


def reread(text: str) -> Settings:
    """The settings as they would be with this text in the file. Raises SettingsError."""
    return from_process(text)


def logging_of(settings: Settings, *, window: bool = False) -> AbstractContextManager[None]:
    """The log of this home for as long as the block lasts, with its warnings on the terminal too.

    Not on the terminal of a `window`, though: there they would stand in the middle of its drawing.
    """
    return logging_to(settings.home, settings.logs, Redactor(settings.secrets), None if window else console())
