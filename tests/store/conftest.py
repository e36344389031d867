"""A store of its own for every test, with the test's clock as the database's."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from core.store.store import Store, open_sqlite
from tests.fakes.clock import FakeClock
from tests.store import servers
from tests.store.desk import Desk


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store with the newest schema: a copy of it costs less than the migrations."""
    path = tmp_path_factory.mktemp("new") / "parley.db"
    open_sqlite(path, FakeClock()).close()
    return path


@pytest.fixture
def database(new_file: Path, tmp_path: Path) -> Path:
    """The file of this test's store."""
    return Path(shutil.copy(new_file, tmp_path / "parley.db"))


@pytest.fixture
def clock() -> FakeClock:
    """The time of this test."""
    return FakeClock()


@pytest.fixture(scope="session")
def server_database() -> Iterator[str]:
    """A database on a server, for all tests one after the other."""
    # Not below pytest's own folder: another run clears that away when three newer ones have begun.
    with (
        TemporaryDirectory(prefix="parley-pg-") as folder,
        servers.running(Path(folder)) as server,
        servers.new_database(server) as database,
    ):
        yield database


@pytest.fixture(params=["sqlite", "postgresql"])
async def store(request: pytest.FixtureRequest, clock: FakeClock) -> AsyncIterator[Store]:
    """This test's store, once on each engine."""
    if request.param == "postgresql":
        async with servers.emptied(request.getfixturevalue("server_database"), clock) as emptied:
            yield emptied
        return
    opened = open_sqlite(request.getfixturevalue("database"), clock, relaxed=True)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    """A worker on it."""
    return Desk(store)


@pytest.fixture
def other(store: Store) -> Desk:
    """A second worker on it."""
    return Desk(store, owner="worker-b")
