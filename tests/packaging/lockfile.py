"""Reads a lock file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")

HASH = re.compile(r"\s--hash=(\S+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One line of a lock: a requirement with the hashes of all files that may satisfy it."""

    requirement: Requirement
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Normalised."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str | None:
        """The one allowed version; None when other versions are allowed too."""
        only = re.fullmatch(r"==([^,*]+)", str(self.requirement.specifier))
        return only[1] if only else None


def pins(text: str) -> Iterator[Pin]:
    """Every requirement of a lock. Raises InvalidRequirement for any line that is none."""
    for line in text.replace("\\\n", " ").splitlines():
        line = line.partition(" #")[0].strip()
        if line and not line.startswith("#"):
            yield Pin(requirement=Requirement(HASH.sub("", line)), hashes=tuple(HASH.findall(line)))


def locked(lock: str) -> Mapping[str, Pin]:
    """The pins of one of our locks, by name."""
    return {pin.name: pin for pin in pins((ROOT / lock).read_text(encoding="utf-8"))}
