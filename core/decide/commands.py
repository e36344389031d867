"""Reading a command out of what a person wrote."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.command import CommandCall, CommandSpec

_COMMAND = re.compile(r"^[/!](?P<name>[A-Za-z_]{1,32})(?:@\S+)?(?:\s+(?P<arguments>.*))?$", re.DOTALL)
_NEAR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Misspelt:
    """A word that is almost a command: a hint helps, a turn would not."""

    written: str
    nearest: str


def parse(content: str, specs: Sequence[CommandSpec]) -> CommandCall | Misspelt | None:
    """The command in `content`; None when it is a message for the agent, as `//word` always is.

    Only the first line decides, and `!name` counts only for a name that exists: people exclaim.
    """
    match = _COMMAND.match(content.strip())
    if match is None:
        return None
    name = match["name"].lower()
    names = [spec.name for spec in specs]
    if name in names:
        return CommandCall(name=name, arguments=(match["arguments"] or "").strip())
    if content.lstrip().startswith("!") or not names:
        return None
    nearest = min(names, key=lambda known: distance(name, known))
    return Misspelt(written=f"/{name}", nearest=f"/{nearest}") if distance(name, nearest) <= _NEAR else None


def distance(one: str, other: str) -> int:
    """How many single-letter edits lie between two words."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (left != right))
    return row[-1]
