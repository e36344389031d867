"""A Slack with people in it, and a gateway for it."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.models.scripted import ScriptedModel
from core.runtime.ambient import SystemClock
from core.store.store import open_sqlite
from tests.fakes.platform import FakePlatform
from tests.fakes.slack import SlackServer
from tests.slack.house import Fast, SlackHouse, Watcher

ANNA, OLGA, CARL = "U0ANNA0001", "U0OLGA0001", "U0CARL0001"
DIRECT, GENERAL = "D0ANNA0001", "C0GENERAL1"


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without rows."""
    path = tmp_path_factory.mktemp("store") / "parley.db"
    open_sqlite(path, SystemClock()).close()
    return path


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    """With a channel, and a direct conversation of Anna's. Carl is let in by nobody."""
    async with SlackServer(waits=(0.05, 0.2, 0.5)) as opened:
        for user, name in ((ANNA, "anna"), (OLGA, "olga"), (CARL, "carl")):
            opened.world.person(user, name)
        opened.world.conversation(GENERAL, ANNA, OLGA, CARL, name="general")
        opened.world.conversation(DIRECT, ANNA, kind="im")
        yield opened


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """Without a script yet."""
    scripted = ScriptedModel()
    yield scripted
    assert scripted.faults == []


@pytest.fixture
def watcher(server: SlackServer) -> Watcher:
    """Looks at what the app says."""
    return Watcher(server)


@pytest.fixture
def house(tmp_path: Path, empty_store: Path, server: SlackServer, model: ScriptedModel) -> SlackHouse:
    """A gateway on a folder of its own."""
    shutil.copy(empty_store, tmp_path / "parley.db")
    (tmp_path / "workspace").mkdir()
    return SlackHouse(
        folder=tmp_path.resolve(),
        platform=FakePlatform(),
        models=[model],
        clock=Fast(),
        server=server,
        people=frozenset({ANNA}),
        bosses=frozenset({OLGA}),
    )
