"""What every verb that reads the settings begins with."""

from gateway.cli.output import complain
from gateway.settings import Settings, from_process


def opened() -> Settings:
    """The settings of this process; what was mended while reading them, and what is odd, goes to standard error."""
    settings = from_process()
    for notice in settings.notices:
        complain(notice)
    return settings
