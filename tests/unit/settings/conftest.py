"""What the tests of settings share."""

from pathlib import Path

import pytest

from tests.unit.settings.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A home folder that does not exist yet."""
    return Place(home=tmp_path / "home")
