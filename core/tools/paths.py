"""Which paths may be named at all. Pure: no file is touched here.

A path is relative to the workspace and its names are separated by forward slashes. Whatever some other reader could
take for a step upwards, a separator or another root is refused, although our own opening would not follow it: a name
that means two things to two programs is the beginning of most escapes.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote

from core.domain.errors import ToolError

Parts = tuple[str, ...]

LONGEST_NAME = 255  # bytes; the limit of the usual file systems
LONGEST_PATH = 1_024  # bytes
DEEPEST = 32
LONGEST_PATTERN = 256
UPLOADS = "uploads"
OUR_PREFIX, OUR_SUFFIX = ".parley-", ".tmp"

_DRIVE = re.compile(r"[A-Za-z]:")
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DECODINGS = 4


def parts_of(path: str) -> Parts:
    """The names of a path, outermost first; none for the workspace itself (`.`). Raises ToolError."""
    if reason := _refusal(path):
        raise ToolError(
            f"The path {shown(path)} is refused: {reason}. Give a path relative to the workspace, "
            f"such as notes/plan.md."
        )
    return tuple(part for part in path.split("/") if part not in ("", "."))


def _refusal(path: str) -> str:
    if not path.strip():
        return "it is empty"
    if any(unicodedata.category(char) in _UNPRINTABLE or char in _DIRECTION for char in path):
        return "it holds a control character"
    if "\\" in path:
        return "it holds a backslash; names are separated by /"
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        return "it does not start inside the workspace"
    return _too_long(path) or _two_meanings(path)


def _too_long(path: str) -> str:
    parts = path.split("/")
    if any(len(part.encode()) > LONGEST_NAME for part in parts):
        return f"a name in it is longer than {LONGEST_NAME} bytes"
    if len(path.encode()) > LONGEST_PATH:
        return f"it is longer than {LONGEST_PATH} bytes"
    return f"it is deeper than {DEEPEST} folders" if len(parts) > DEEPEST else ""


def _two_meanings(path: str) -> str:
    try:
        readings = tuple(_readings(path))
    except UnicodeDecodeError:
        return "it holds a percent code that is no text"
    if len(readings) > _DECODINGS:
        return "it is percent-encoded several times over"
    if any(_steps_up(reading) for reading in readings):
        return "it holds a step to a parent folder"
    if any(reading.count(char) > path.count(char) for reading in readings for char in "/\\\0"):
        return "it holds an encoded separator"
    return ""


def _readings(path: str) -> Iterator[str]:
    """The path as it is, and as programs that decode it once, twice and more would read it."""
    reading = path
    for _ in range(_DECODINGS + 1):
        yield reading
        decoded = unquote(unicodedata.normalize("NFKC", reading), errors="strict")
        if decoded == reading:
            return
        reading = decoded


def _steps_up(path: str) -> bool:
    # Four dots are no parent, but what is left of four dots once a filter has removed two of them is.
    return any(len(part.strip()) > 1 and not part.strip().strip(".") for part in re.split(r"[/\\]", path))


def shown(name: str) -> str:
    """A name from outside as one printable line."""
    text = name if len(name) <= 200 else name[:200] + "..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def is_ours(name: str) -> bool:
    """Whether this is a file half written by ourselves, which no tool shows."""
    return name.startswith(OUR_PREFIX) and name.endswith(OUR_SUFFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What of the workspace one chat sees: all of it, but below `uploads/` only what is its own.

    `own` is the folder of this chat's uploads as parts; None where it has none in this workspace.
    """

    own: Parts | None

    def sees(self, parts: Parts) -> bool:
        """Whether the path may be known to exist. Folders on the way to the own uploads are seen."""
        # On a file system that folds case, another spelling opens the same folder.
        if not parts or _folded(parts[0]) != UPLOADS:
            return True
        if self.own is None:
            return parts == (UPLOADS,)
        shared = min(len(parts), len(self.own))
        return parts[:shared] == self.own[:shared]


def sight(workspace: Path, uploads: Path) -> Sight:
    """The sight of a chat whose uploads lie in `uploads`."""
    own = uploads.relative_to(workspace).parts if uploads.is_relative_to(workspace) else ()
    return Sight(own=own if own[:1] == (UPLOADS,) else None)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """A pattern of paths: `*` and `?` stay inside a name, `**` spans folders.

    A pattern without a slash is held against the last name alone, at every depth. The cost of a match is at most the
    number of names in the pattern times those in the path.
    """

    pattern: Parts

    def matches(self, parts: Parts) -> bool:
        """Whether the whole path fits."""
        reached = {0}
        for part in parts:
            reached = {after for at in self._closed(reached) for after in self._after(at, part)}
        return len(self.pattern) in self._closed(reached)

    def _closed(self, reached: set[int]) -> set[int]:
        closed = set(reached)
        for at in range(min(closed, default=0), len(self.pattern)):
            if at in closed and self.pattern[at] == "**":
                closed.add(at + 1)
        return closed

    def _after(self, at: int, part: str) -> Iterator[int]:
        if at == len(self.pattern):
            return
        if self.pattern[at] == "**":
            yield at
        elif fnmatchcase(part, self.pattern[at]):
            yield at + 1


def glob_of(pattern: str) -> Glob:
    """Raises ToolError when it is too long or empty."""
    parts = tuple(part for part in pattern.split("/") if part not in ("", "."))
    if not parts or len(pattern) > LONGEST_PATTERN:
        raise ToolError(
            f"The pattern {shown(pattern)} cannot be used: give 1 to {LONGEST_PATTERN} characters such as *.md "
            f"or data/**/*.csv."
        )
    return Glob(pattern=parts if len(parts) > 1 or "/" in pattern else ("**", *parts))
