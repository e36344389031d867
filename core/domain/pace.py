"""How fast a platform lets us call, and how a text gets out once where it cannot tell what it took."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Whose calls a pace counts: those to one chat, all its threads together, or all of the account."""

    CHAT = "chat"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """A bucket of `burst` calls that fills again by `per_s` calls a second."""

    scope: Scope
    per_s: float
    burst: int = 1

    def __post_init__(self) -> None:
        if not self.per_s > 0 or self.burst < 1:
            raise ValueError(f"nothing could ever go out at {self.per_s} a second, {self.burst} at once")


class Once(StrEnum):
    """What becomes of a part that may have been sent, where the platform offers neither a key nor a read-back.

    REPEAT: left alone for ten minutes, then sent once more with a label. HOLD: never repeated, listed for the
    operator. PLACEHOLDER: a placeholder goes out first and is edited into the text, which may be repeated; parts that
    cannot begin as a placeholder are repeated.
    """

    REPEAT = "repeat"
    HOLD = "hold"
    PLACEHOLDER = "placeholder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """What the delivery has to know of the channel behind a chat. `file_bytes` is its largest file, 0 for none."""

    once: Once = Once.REPEAT
    file_bytes: int = 0
