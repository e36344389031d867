"""What the tests of the service share."""

from pathlib import Path

import pytest

from tests.service.station import Station, Town


@pytest.fixture
def station(tmp_path: Path) -> Station:
    """Two accounts are known in town."""
    return Station(home=tmp_path / "home", town=Town({"one": "ACME", "two": "BETA"}))
