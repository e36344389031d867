"""What the tests of the command line share."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with an empty parley.toml."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    (folder / "parley.toml").touch(mode=0o600)
    return folder


@pytest.fixture
def here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this process."""
    monkeypatch.setenv("PARLEY_HOME", str(home))
    return home
