"""One nursery for all episodes of these tests."""

from collections.abc import Iterator

import pytest

from tests.crash.matrix.episode import Ground
from tests.crash.matrix.matrix import Scouts, opened
from tests.fakes.platform import Profile


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    """Where episodes take place."""
    with opened() as made:
        yield made


@pytest.fixture(scope="session")
def scouts(ground: Ground) -> Scouts:
    """What they find serves all tests."""
    return Scouts(ground, always=Profile.NONE)
