"""A session: the stretch of a chat's log that one conversation is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of a chat. `number` never changes.

    `began` and `words` are those of its first message; None when nothing in it can be seen.
    """

    number: int
    began: int | None
    words: str | None
    current: bool
