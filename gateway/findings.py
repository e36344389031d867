"""What an examination has found."""

from collections.abc import Callable
from dataclasses import dataclass

from channels.contract import Finding, Health


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One finding about a part of the installation. `mend` does its fix where that is safe."""

    part: str
    finding: Finding
    mend: Callable[[], None] | None = None


def good(part: str, what: str) -> Found:
    """Nothing to do."""
    return Found(part=part, finding=Finding(health=Health.GOOD, what=what))


def warning(part: str, what: str, fix: str, mend: Callable[[], None] | None = None) -> Found:
    """It works, and could be better."""
    return Found(part=part, finding=Finding(health=Health.WARNING, what=what, fix=fix), mend=mend)


def fault(part: str, what: str, fix: str, mend: Callable[[], None] | None = None) -> Found:
    """It does not work, or not safely."""
    return Found(part=part, finding=Finding(health=Health.FAULT, what=what, fix=fix), mend=mend)
