"""Lines of an AGENT.md that stand for something else.

`<!-- INCLUDE: common/core_rules.md -->` alone on its line stands for that file, its own includes resolved;
`<!-- AGENTS_LIST -->` and its like for a list; any other `<!-- KEY -->` becomes `__KEY__`, which is filled in when a
prompt is made, or stays as it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from core.domain.errors import SettingsError

MOST_INCLUDES: Final = 100
LONGEST_RESULT: Final = 1_000_000

DIRECTIVE: Final = re.compile(r"[ \t]*<!--[ \t]*INCLUDE:[ \t]*(?P<name>[^>]*?)[ \t]*-->[ \t]*")
KEY: Final = re.compile(r"[ \t]*<!--[ \t]*(?P<key>[A-Z][A-Z_]*)[ \t]*-->[ \t]*")
MEANT: Final = re.compile(r"[ \t]*<!--[ \t]*include\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that a directive names: where it lies, for messages, and its text."""

    place: str
    text: str


Look = Callable[[str], Found]
Lists = Mapping[str, Callable[[], str]]


class Expansion:
    """Resolves the directives of one agent.

    `look` gives the file of a name or raises SettingsError saying why not, `lists` the text of a list by its key. A
    file that is included for a list which is empty stands for nothing: its words would be about nothing.
    """

    def __init__(self, look: Look, lists: Lists) -> None:
        self._look = look
        self._lists = lists
        self._count = 0
        self.included: list[str] = []

    def expand(self, found: Found, inside: tuple[str, ...] = ()) -> str:
        """The whole text. Raises SettingsError naming file and line of the directive that is wrong."""
        lines = []
        for number, line in enumerate(found.text.split("\n"), start=1):
            directive, key = DIRECTIVE.fullmatch(line), KEY.fullmatch(line)
            if directive is not None:
                lines.append(self._included(directive["name"], f"{found.place}:{number}", inside))
            elif key is not None:
                listed = self._filled(key["key"])
                if not listed and inside:
                    return ""
                lines.append(listed)
            elif MEANT.match(line):
                raise SettingsError(f"{found.place}:{number}: write it as <!-- INCLUDE: common/core_rules.md -->")
            else:
                lines.append(line)
        text = "\n".join(lines)
        if len(text) > LONGEST_RESULT:
            raise SettingsError(
                f"{found.place}: is longer than {LONGEST_RESULT} characters with its includes: shorten it"
            )
        return text

    def _filled(self, key: str) -> str:
        return self._lists[key]() if key in self._lists else f"__{key}__"

    def _included(self, name: str, place: str, inside: tuple[str, ...]) -> str:
        if name in inside:
            circle = " -> ".join((*inside, name))
            raise SettingsError(f"{place}: INCLUDE goes in a circle ({circle}): remove one of them")
        self._count += 1
        if self._count > MOST_INCLUDES:
            raise SettingsError(f"{place}: more than {MOST_INCLUDES} includes in one agent: remove some")
        try:
            found = self._look(name)
        except SettingsError as error:
            raise SettingsError(f"{place}: INCLUDE {name!r}: {error}") from error
        self.included.append(name)
        text = self.expand(found, (*inside, name))
        if not text:
            return ""
        return f'<included_file path="agents/{name}">\n{text.strip()}\n</included_file>'
