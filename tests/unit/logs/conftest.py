"""What the tests of logs share."""

from pathlib import Path

import pytest

from gateway.home import Home, open_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home folder with its logs folder."""
    return open_home(tmp_path / "home")
