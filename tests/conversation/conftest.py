"""What every dialogue starts from."""

from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel
from tests.fakes.gateway import House
from tests.fakes.platform import FakePlatform


@pytest.fixture
def model() -> ScriptedModel:
    """A model without a script yet: `model.then(...)`. Every prompt that it gets is checked for validity."""
    return ScriptedModel()


@pytest.fixture
def platform() -> FakePlatform:
    """Where people and Parley meet."""
    return FakePlatform()


@pytest.fixture
def house(tmp_path: Path, platform: FakePlatform, model: ScriptedModel) -> House:
    """A gateway on a folder of its own."""
    return House(folder=tmp_path, platform=platform, models=[model])
