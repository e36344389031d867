"""What can be set about a terminal window, and whose it is."""

import os
import pwd
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

WHOLE_INPUT = "-"
LONGEST_SESSION = 64
SESSION_FORM = f"letters, digits and . @ + - _, not one of . @ + - first, at most {LONGEST_SESSION}"


class TerminalSettings(BaseModel):
    """One window. The command line sets most of these."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session: str = Field(
        default="default",
        min_length=1,
        max_length=LONGEST_SESSION,
        pattern=r"^[\w][\w.@+-]*$",
        description=f"The conversation of this window: {SESSION_FORM}.",
    )
    message: str | None = Field(
        default=None,
        description="Says this and leaves when it is answered; - says the whole standard input as one message.",
    )
    plain: bool = Field(default=False, description="Shows replies as they were written, their Markdown not drawn.")
    history: bool = Field(default=True, description="Keeps what was typed, for the arrow keys of the next window.")
    history_folder: Path | None = Field(
        default=None,
        description="The folder of the file that keeps it; without one, it is forgotten when the window closes.",
    )
    max_message: int = Field(
        default=1_000_000,
        ge=1,
        description="The longest message that is taken, in characters; a longer one is refused as a whole.",
    )


def names_session(name: str) -> bool:
    """Whether a session can have this name; `SESSION_FORM` says what it may look like."""
    try:
        TerminalSettings(session=name)
    except ValidationError:
        return False
    return True


def os_user() -> str:
    """The name of the user that this process runs as: by user id, since the environment can say anything."""
    uid = os.geteuid()
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def attended(settings: TerminalSettings, terminal: str | None) -> bool:
    """Whether a person sits in front of this process; `terminal` is the value of TERM."""
    if settings.message is not None or terminal in (None, "", "dumb", "unknown"):
        return False
    streams = (sys.__stdin__, sys.__stdout__)
    return all(stream is not None and stream.isatty() for stream in streams)
