"""Commands that change which part of a chat's log the next prompts see."""

from enum import StrEnum

# More digits than any chat has sessions.
_DIGITS = 6


class Rewinding(StrEnum):
    """RESUME makes another session the current one. UNDO hides the newest turn. RETRY makes a new one of it."""

    RESUME = "resume"
    UNDO = "undo"
    RETRY = "retry"


REWINDS = {one.value: one for one in Rewinding}


def number(words: str) -> int | None:
    """The number of a session as a person gives it; None for anything else."""
    return int(words) if words.isascii() and words.isdigit() and len(words) <= _DIGITS else None
