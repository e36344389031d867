"""A home folder in a test: what is written there, and what reading it says."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from core.domain.errors import SettingsError
from gateway.settings import Settings, load


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The folder, its parley.toml and the variables of the process."""

    home: Path

    @property
    def file(self) -> Path:
        """The settings file."""
        return self.home / "parley.toml"

    def writes(self, toml: str, mode: int = 0o600) -> "Place":
        """Put this into parley.toml."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        self.file.write_text(toml, encoding="utf-8")
        self.file.chmod(mode)
        return self

    def loads(self, **environ: str) -> Settings:
        """The settings."""
        return load(self.home, environ)

    def refuses(self, **environ: str) -> str:
        """The one line that is said instead, the folder left out."""
        with pytest.raises(SettingsError) as refusal:
            load(self.home, environ)
        line = str(refusal.value)
        assert "\n" not in line
        return line.replace(f"{self.home}/", "")
