"""How much is tried: little in `make test`, much with `--many N`, and other sequences with `--hypothesis-seed S`."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from core.store.store import open_sqlite
from tests.fakes.clock import FakeClock

Tries = Callable[[int], settings]
SECONDS = 180
ItemT = TypeVar("ItemT")


def scripts(act: st.SearchStrategy[ItemT], longest: int) -> st.SearchStrategy[list[ItemT]]:
    """Scripts of any length, long ones as often as short ones: a plain strategy of lists keeps to short ones."""
    return st.integers(1, longest).flatmap(lambda length: st.lists(act, min_size=length, max_size=length))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Many examples take long."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(SECONDS * int(config.getoption("--many"))))


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows, to be copied."""
    path = tmp_path_factory.mktemp("store") / "parley.db"
    open_sqlite(path, FakeClock()).close()
    return path


@pytest.fixture
def tries(request: pytest.FixtureRequest) -> Tries:
    """Settings for so many examples, always the same ones unless many are asked for."""
    many = int(request.config.getoption("--many"))

    def so_many(examples: int) -> settings:
        return settings(
            max_examples=examples * many,
            derandomize=many == 1,
            database=None,
            deadline=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )

    return so_many
