"""Adding a section to parley.toml: everything that a person wrote there stays as it is."""

import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from core.domain.errors import SettingsError
from gateway.home import FILE_MODE


def with_section(text: str, header: str, lines: Mapping[str, str], comment: str) -> str:
    """The text and one more section at its end. Raises SettingsError when the result would not be TOML."""
    before = text if not text or text.endswith("\n") else f"{text}\n"
    gap = "\n" if before else ""
    body = "".join(f"{key} = {value}\n" for key, value in lines.items())
    joined = f"{before}{gap}# {comment}\n[{header}]\n{body}"
    try:
        tomllib.loads(joined)
    except tomllib.TOMLDecodeError as error:
        pairs = ", ".join(f"{key} = {value}" for key, value in lines.items())
        raise SettingsError(f"[{header}] cannot be added at the end of the file: add it there with {pairs}") from error
    return joined


def with_keys(text: str, header: str, lines: Mapping[str, str]) -> str:
    """The text with further keys at the beginning of a section, which is made where there is none.

    `lines` are key and value as TOML, a comment before them on a line of its own. Raises SettingsError.
    """
    body = "".join(f"{line}\n" for line in lines.values())
    place = re.search(rf"^[ \t]*\[[ \t]*{re.escape(header)}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if place is None:
        before = text if not text or text.endswith("\n") else f"{text}\n"
        joined = f"{before}{chr(10) if before else ''}[{header}]\n{body}"
    else:
        head = text[: place.end()]
        joined = f"{head}{'' if head.endswith(chr(10)) else chr(10)}{body}{text[place.end() :]}"
    try:
        tomllib.loads(joined)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"[{header}] cannot be added to: write {', '.join(lines)} there by hand") from error
    return joined


def write(path: Path, text: str, *, private: bool = False) -> None:
    """Replace the file as a whole or not at all, keeping its mode; a new one is `private`. Raises SettingsError."""
    target = path.resolve()
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() and not private else FILE_MODE
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or "error").lower()
        raise SettingsError(f"{path} cannot be written ({reason}): make its folder writable for this user") from error
