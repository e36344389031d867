"""Where settings come from: one TOML file and the environment, as plain tables that know their origin."""

import json
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from core.domain.errors import SettingsError
from core.validation import KeyPath, Problem, dotted, printable
from gateway.home import FILE_MODE
from gateway.spelling import snake

NAME: Final = "parley.toml"
PREFIX: Final = "PARLEY_"
LARGEST: Final = 1_000_000

Table = Mapping[str, object]

# Kubernetes sets these for every service; a service called "parley" must not look like wrong settings.
_SERVICE_LINK: Final = re.compile(r"(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)\w*)?)")
_SECRET_KEY: Final = re.compile(r"(?:^|_)(?:api_?key|token|secret|password|passphrase|credentials?)$", re.IGNORECASE)
_ONLY_A_REFERENCE: Final = re.compile(r"\$\{\w+\}")
_TOML_PLACE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_TOML_HINTS: Final = (
    ("Invalid value", 'a text value stands in quotes, as in key = "value"'),
    ("Expected '='", "a line is written as key = value"),
    ("Invalid statement", "a line is [section] or key = value"),
    ("Cannot overwrite", "this key is given twice; keep one"),
    ("Cannot declare", "this section is given twice; keep one"),
    ("Unterminated string", "a text ends with the quotes with which it began"),
    ("Expected newline", "one key = value a line"),
    ("Expected ']'", "a section is written as [name]"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Both origins merged, the environment last. It holds secrets, so it never prints."""

    path: Path
    table: Table = field(repr=False)
    text: str = field(repr=False, default="")
    variables: Mapping[KeyPath, str] = field(repr=False, default_factory=dict)

    def error(self, problem: Problem, under: KeyPath = ()) -> SettingsError:
        """One line: where it stands (file and line, or variable), the full key, the right form."""
        path = (*under, *problem.path)
        example = _example(problem.example)
        line = line_of(self.text, path)
        if variable := self._variable(path) or (None if line else self._variable_below(path)):
            shown = f", for example {_variable_name(path)}={example.strip(chr(34))}" if example else ""
            return SettingsError(f"environment variable {variable}: {dotted(path)} {problem.text}{shown}")
        place = f"{self.path}:{line}" if line else str(self.path)
        shown = f", for example {path[-1]} = {example}" if example and isinstance(path[-1], str) else ""
        return SettingsError(f"{place}: {dotted(path)} {problem.text}{shown}")

    def wrong(self, path: KeyPath, text: str) -> SettingsError:
        """The same in one's own words."""
        return self.error(Problem(path=path, text=text))

    def origin(self, path: KeyPath) -> str:
        """Where a value comes from, in a word: a variable, a line of the file, or nowhere: the default."""
        if variable := self._variable(path):
            return variable
        line = _first_line(self.text.split("\n"), path)
        return f"{self.path.name}:{line}" if line else "default"

    def _variable(self, path: KeyPath) -> str | None:
        for length in range(len(path), 0, -1):
            if path[:length] in self.variables:
                return self.variables[path[:length]]
        return None

    def _variable_below(self, path: KeyPath) -> str | None:
        """A variable that made the table which is wrong: something in it is unknown or missing."""
        for length in range(len(path), 0, -1):
            for keys, variable in self.variables.items():
                if keys[:length] == path[:length]:
                    return variable
        return None


def read(home: Path, environ: Mapping[str, str], text: str | None = None) -> Source:
    """The file of this home, if there is one, overlaid with the `PARLEY_` variables. Raises SettingsError.

    With a `text` as if that stood in the file.
    """
    path = home / NAME
    text = _text(path) if text is None else text
    table = _parsed(path, text)
    variables: dict[KeyPath, str] = {}
    for names, variable in _variables(environ):
        keys = tuple(_spelt(table, names))
        table = _with(table, keys, _value(environ[variable]))
        variables[keys] = variable
    return Source(path=path, table=table, text=text, variables=variables)


def secret_keys(table: Table, above: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Every text in the table whose key says that it is a secret."""
    for key, value in table.items():
        match value:
            case str() if value and names_secret(key):
                yield (*above, key), value
            case Mapping():
                yield from secret_keys(value, (*above, key))
            case _:
                pass


def named_variables(table: Table) -> Iterator[str]:
    """Every environment variable that a key ending in `_env` names."""
    for key, value in table.items():
        match value:
            case str() if snake(key).endswith("_env"):
                yield value
            case Mapping():
                yield from named_variables(value)
            case _:
                pass


def names_secret(name: str) -> bool:
    """Whether a key or variable of that name holds a secret."""
    return _SECRET_KEY.search(snake(name)) is not None


def keep_private(source: Source) -> str | None:
    """A file with secrets in it is for its owner alone: mend its mode and say so, or refuse. Gives the notice."""
    written = secret_keys(_parsed(source.path, source.text))
    if all(_ONLY_A_REFERENCE.fullmatch(value) for _, value in written):
        return None
    mode = stat.S_IMODE(source.path.stat().st_mode)
    if not mode & 0o077:
        return None
    try:
        source.path.chmod(FILE_MODE)
    except OSError as error:
        if not mode & 0o007:
            return f"{source.path} holds secrets and its group can read it ({mode:04o}): run chmod 600 on it"
        text = (
            f"{source.path} holds secrets and every user can read it ({mode:04o}): run chmod 600 on it, "
            "or name environment variables instead, as in api_key_env"
        )
        raise SettingsError(text) from error
    return f"{source.path} holds secrets and was open to other users ({mode:04o}); it is now private (0600)"


def line_of(text: str, path: KeyPath) -> int | None:
    """The line of the statement that first defines this key, or the nearest table above it.

    The parser gives no positions. But once a file's first n lines define a key, so do the first n + 1: the smallest
    such n is found by halving, skipping cuts that fall inside a statement of several lines.
    """
    for length in range(len(path), 0, -1):
        if line := _first_line(text.split("\n"), path[:length]):
            return line
    return None


def _first_line(lines: list[str], path: KeyPath) -> int | None:
    if not _defines(lines, len(lines), path):
        return None
    low, high = 0, len(lines)
    while high - low > 1:
        cut = _cut(lines, low, high)
        if cut is None:
            break
        if _defines(lines, cut, path):
            high = cut
        else:
            low = cut
    return low + 1


def _cut(lines: list[str], low: int, high: int) -> int | None:
    """A place between the two, near the middle, where the file could end."""
    middle = (low + high) // 2
    for cut in chain(range(middle, low, -1), range(middle + 1, high)):
        if _defines(lines, cut, ()) is not None:
            return cut
    return None


def _defines(lines: list[str], count: int, path: KeyPath) -> bool | None:
    """Whether the first lines define the key; None when they are not TOML by themselves."""
    try:
        value: object = tomllib.loads("\n".join(lines[:count]) + "\n")
    except tomllib.TOMLDecodeError:
        return None
    for part in path:
        match value, part:
            case dict(), str() if (key := _spelling(value, part)) is not None:
                value = value[key]
            case list(), int() if part < len(value):
                value = value[part]
            case _:
                return False
    return True


def _spelling(table: Table, name: str) -> str | None:
    """The key as it is written there."""
    return name if name in table else next((key for key in table if snake(key) == name), None)


def _text(path: Path) -> str:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SettingsError(f"{path} is not a file: put the settings into a file of that name, or remove it")
        if found.st_size > LARGEST:
            raise SettingsError(f"{path} is larger than 1 MB: settings are a short TOML file")
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 text (byte {error.start}): save it as UTF-8") from error
    except OSError as error:
        reason = (error.strerror or "error").lower()
        raise SettingsError(f"{path} cannot be read ({reason}): make it readable for this user") from error


def _parsed(path: Path, text: str) -> Table:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        words = str(error)
        place = _TOML_PLACE.search(words)
        line = (place.group(1) if place else None) or str(text.count("\n") + 1)
        reason = printable(_TOML_PLACE.sub("", words), 120)
        hint = next((hint for start, hint in _TOML_HINTS if reason.startswith(start)), f"{reason}: mend this line")
        raise SettingsError(f"{path}:{line}: not valid TOML: {hint}") from error


def _variables(environ: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Key path and name of each variable that is a setting, shorter paths first."""
    for name in sorted(environ, key=lambda name: (name.count("__"), name)):
        rest = name.removeprefix(PREFIX)
        if rest in {name, "", "HOME"} or _SERVICE_LINK.fullmatch(rest):
            continue
        parts = rest.lower().split("__")
        if not all(parts):
            raise SettingsError(f"environment variable {printable(name)}: write it as PARLEY_SECTION__KEY")
        yield tuple(parts), name


def _variable_name(path: KeyPath) -> str:
    """How a key is written as a variable."""
    return PREFIX + "__".join(str(part).upper().replace("-", "_") for part in path if isinstance(part, str))


def _value(text: str) -> object:
    """Lists and tables are JSON in the environment; everything else stays text and is read by its setting."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _with(table: Table, path: tuple[str, ...], value: object) -> Table:
    """The table with one more key; a value in the way of a deeper key gives way to it."""
    first, rest = path[0], path[1:]
    if not rest:
        return {**table, first: value}
    inner = table.get(first)
    return {**table, first: _with(inner if isinstance(inner, Mapping) else {}, rest, value)}


def _spelt(table: Table, names: tuple[str, ...]) -> Iterator[str]:
    """The keys as the file writes them: variables have no hyphens and no case."""
    inner: object = table
    for name in names:
        keys = inner if isinstance(inner, Mapping) else {}
        key = next((key for key in keys if name in (key.lower().replace("-", "_"), snake(key))), name)
        inner = keys.get(key)
        yield key


def _example(value: object) -> str:
    """A value as TOML writes it."""
    match value:
        case None:
            return ""
        case bool() | int() | float() | str():
            return json.dumps(value, ensure_ascii=False)
        case list() | tuple():
            return json.dumps(list(value), ensure_ascii=False)
        case _:
            return ""
