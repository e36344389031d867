"""Values that stand elsewhere: `${NAME}` in a text; a secret as `{ env = }`, `{ file = }` or `{ command = }`."""

import re
import stat
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gateway.settings_file import Source, Table, names_secret

KeyPath = tuple[str | int, ...]

REFERENCE: Final = re.compile(r"\$\$|\$\{(?P<name>[^{}]*)\}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FORMS: Final = ("env", "file", "command")
LONGEST: Final = 65_536
COMMAND_WITHIN_S: Final = 10.0
SHOWN: Final = 'write a text, { env = "NAME" }, { file = "PATH" } or { command = ["program", "argument"] }'


def resolved(source: Source, environ: Mapping[str, str]) -> Source:
    """The source with every reference replaced by what it names. Raises SettingsError naming the key."""
    return replace(source, table=_Resolver(source, environ).table(source.table, ()))


class _Resolver:
    def __init__(self, source: Source, environ: Mapping[str, str]) -> None:
        self._source = source
        self._environ = environ

    def table(self, table: Table, above: KeyPath) -> Table:
        return {key: self._value(value, (*above, key)) for key, value in table.items()}

    def _value(self, value: object, path: KeyPath) -> object:
        match value:
            case str():
                return REFERENCE.sub(lambda found: self._named(found, path), value)
            case Mapping() if isinstance(path[-1], str) and names_secret(path[-1]):
                return self._secret(value, path)
            case Mapping():
                return self.table(value, path)
            case list():
                return [self._value(one, (*path, place)) for place, one in enumerate(value)]
            case _:
                return value

    def _named(self, found: re.Match[str], path: KeyPath) -> str:
        name = found["name"]
        if name is None:
            return "$"
        if not VARIABLE.fullmatch(name):
            raise self._wrong(path, "has a ${} that names no variable: write ${NAME}, or $$ for a dollar sign")
        return self._variable(name, path)

    def _variable(self, name: str, path: KeyPath) -> str:
        if not self._environ.get(name):
            raise self._wrong(path, f"names the environment variable {name}, which is not set: set it")
        return self._environ[name]

    def _secret(self, value: Mapping[str, object], path: KeyPath) -> str:
        match dict(value):
            case {"env": str(name), **rest} if not rest:
                return self._variable(name, path)
            case {"file": str(name), **rest} if not rest:
                return self._file(Path(name).expanduser(), path)
            case {"command": list(words), **rest} if not rest and words and all(isinstance(one, str) for one in words):
                return self._command([str(word) for word in words], path)
            case _:
                raise self._wrong(path, f"is no secret: {SHOWN}")

    def _file(self, named: Path, path: KeyPath) -> str:
        file = named if named.is_absolute() else self._source.path.parent / named
        try:
            found = file.stat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > LONGEST:
                raise self._wrong(path, f"names {file}, which is no short file: name one that holds the secret alone")
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = (error.strerror or "error").lower() if isinstance(error, OSError) else "it is not UTF-8 text"
            text = f"names the file {file}, which cannot be read ({reason}): make it readable for this user"
            raise self._wrong(path, text) from error
        return self._filled(text, f"names the file {file}, which is empty: put the secret into it", path)

    def _command(self, words: Sequence[str], path: KeyPath) -> str:
        """Without a shell; what it prints is the secret, and never shown. Its complaints go to the terminal."""
        try:
            done = subprocess.run(  # noqa: S603 - the operator's own words, as a list
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                timeout=COMMAND_WITHIN_S,
                check=False,
                text=True,
            )
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
            reason = "it took too long" if isinstance(error, subprocess.TimeoutExpired) else type(error).__name__
            raise self._wrong(path, f"runs {words[0]}, which gave nothing ({reason}): try it by hand") from error
        if done.returncode:
            raise self._wrong(path, f"runs {words[0]}, which failed with code {done.returncode}: try it by hand")
        return self._filled(done.stdout, f"runs {words[0]}, which printed nothing: try it by hand", path)

    def _filled(self, text: str, otherwise: str, path: KeyPath) -> str:
        if not text.strip():
            raise self._wrong(path, otherwise)
        return text.strip()

    def _wrong(self, path: KeyPath, text: str) -> Exception:
        return self._source.wrong(path, text)
