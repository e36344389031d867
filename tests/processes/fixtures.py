"""What both suites of real processes start with."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.processes.house import House
from tests.processes.started import Nursery

# Kept with the session itself: pytest would make another fixture for each folder that imports this one.
NURSERY = pytest.StashKey[Nursery]()


@pytest.fixture(scope="session")
def nursery(
    pytestconfig: pytest.Config, nobodys_environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> Nursery:
    """Forks all gateways of the session."""
    if NURSERY not in pytestconfig.stash:
        stack = ExitStack()
        pytestconfig.add_cleanup(stack.close)
        opened = Nursery.opened(tmp_path_factory.mktemp("nursery") / "socket")
        pytestconfig.stash[NURSERY] = stack.enter_context(opened)
    return pytestconfig.stash[NURSERY]


@pytest.fixture
async def house(nursery: Nursery, tmp_path: Path) -> AsyncIterator[House]:
    """A home folder of its own."""
    house = House(tmp_path, nursery)
    yield house
    await house.close()
