"""What the tests of the catalog share."""

from pathlib import Path

import pytest

from tests.unit.catalog.shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Two empty folders."""
    found = Shelf(own=tmp_path / "own", shipped=tmp_path / "shipped")
    found.own.mkdir()
    found.shipped.mkdir()
    return found
