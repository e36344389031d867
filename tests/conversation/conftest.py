"""What every dialogue starts from."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel
from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from tests.fakes.gateway import House
from tests.fakes.platform import FakePlatform


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows; copying it is quicker than migrating one for every test."""
    path = tmp_path_factory.mktemp("store") / "parley.db"
    open_sqlite(path, SystemClock()).close()
    return path


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model without a script yet: `model.then(...)`. Every prompt that it gets must be valid for any provider."""
    scripted = ScriptedModel()
    yield scripted
    assert scripted.faults == []


@pytest.fixture
def platform() -> FakePlatform:
    """Where people and Parley meet."""
    return FakePlatform()


@pytest.fixture
def house(tmp_path: Path, empty_store: Path, platform: FakePlatform, model: ScriptedModel) -> House:
    """A gateway on a folder of its own."""
    shutil.copy(empty_store, tmp_path / "parley.db")
    return House(folder=tmp_path, platform=platform, models=[model])
